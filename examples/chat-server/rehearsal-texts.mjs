export const INTRODUCTION = `Hello! I am the voice of a small hardware shop, and you could say:

- *Do you have hammers?*
- *Order two rubber mallets*, which you will have to agree to
- *Help me choose a gift*, and I will ask you something
- *What have I ordered?*
- *Tell me the story of the hammer*, which is long enough to be stopped, or to reload the page in the middle of it`;

export const STORY = `## The story of the hammer

Before there was a handle there was a **stone**. People used it for more than three million years, which makes it the longest-serving tool there is, and hardly anybody thought of improving it.

Then somebody did. A stone on a stick is not merely a stone that is easier to hold:

1. The handle makes the arm longer, and the head faster.
2. It keeps the hand away from where the blow lands.
3. It can be **exchanged**, and so can the head, which is how a hammer comes to be older than any of its parts.

The formula is short. What arrives is the energy of the head,

\`\`\`
E = 1/2 · m · v²
\`\`\`

and since the speed \`v\` counts twice, a light hammer with a long handle often does more than a heavy one with a short one.

### The claw

The Romans had nails, and so they had nails in the wrong places. Their answer is the *claw*: two bent teeth at the back of the head, and the handle as a lever. It has not changed since, and if you have a claw hammer at home you have a tool that a carpenter of the year 100 would pick up without a question.

### And today

- There are hammers of brass that make no sparks.
- There are hammers filled with shot that do not bounce.
- There is a hammer on the Moon: an astronaut dropped it there beside a feather, and both arrived at the same time.

So a shop has only to keep a few of them, and to say which is which. Ask me *Do you have hammers?* and I will.`;
