-- A small invented shop. The owner can write; the agent never can, whatever it tries.
CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL, country text NOT NULL);
CREATE TABLE products (id int PRIMARY KEY, name text NOT NULL, price numeric(10, 2) NOT NULL);
CREATE TABLE orders (
  id serial PRIMARY KEY,
  customer_id int NOT NULL REFERENCES customers,
  product_id int NOT NULL REFERENCES products,
  quantity int NOT NULL CHECK (quantity > 0),
  ordered_on date NOT NULL
);

INSERT INTO customers VALUES
  (1, 'Ahornblatt GmbH', 'DE'), (2, 'Birch & Sons', 'GB'), (3, 'Cèdre SARL', 'FR'), (4, 'Dąb sp. z o.o.', 'PL'), (5, 'Esche OG', 'AT');
INSERT INTO products VALUES (1, 'hammer', 24.50), (2, 'chisel', 18.00), (3, 'mortise gauge', 42.90), (4, 'plane', 129.00);
INSERT INTO orders (customer_id, product_id, quantity, ordered_on)
  SELECT 1 + n % 5, 1 + n % 4, 1 + n * 7 % 9, DATE '2026-01-01' + n FROM generate_series(1, 120) AS n;

-- A SELECT can write if it calls something like this.
CREATE FUNCTION restock(product int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  UPDATE products SET price = price * 2 WHERE id = product;
  RETURN product;
END $$;
