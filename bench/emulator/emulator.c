/*
 * The other end of the wire for the benchmark: speaks as much of the CLI's protocol as the measured programs need, and
 * measures from there. Native, so that its own time does not hide theirs: an emulator in JavaScript would need 40 ms
 * to start and about as long for each call as the program under test.
 *
 * What it does is in the environment variable BENCH_AGENT:
 *   calls <number> <in flight> <bytes>   calls the tool `echo` of the in-process server `bench`
 *   stream <number> <bytes>              sends so many assistant messages of that size
 *   nothing                              answers, and ends the turn
 * It answers `initialize`, takes the first user message as the start, checks every answer byte by byte, and ends with
 * a `result` whose text is a JSON object of what it measured.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LITERAL(text) text, sizeof(text) - 1

typedef struct {
  char *data;
  size_t length, capacity;
} Buffer;

static Buffer input, output;
static double first_byte_at;

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

static void fail(const char *what) {
  fprintf(stderr, "emulator: %s\n", what);
  exit(3);
}

static void reserve(Buffer *buffer, size_t more) {
  if (buffer->length + more <= buffer->capacity) return;
  while (buffer->length + more > buffer->capacity) buffer->capacity = buffer->capacity ? buffer->capacity * 2 : 1 << 16;
  buffer->data = realloc(buffer->data, buffer->capacity);
  if (!buffer->data) fail("out of memory");
}

static void append(const char *text, size_t length) {
  reserve(&output, length);
  memcpy(output.data + output.length, text, length);
  output.length += length;
}

__attribute__((format(printf, 1, 2))) static void print(const char *format, ...) {
  char line[2048];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (length < 0 || (size_t)length >= sizeof line) fail("line too long");
  append(line, length);
}

static void flush_output(void) {
  for (size_t done = 0; done < output.length;) {
    ssize_t written = write(STDOUT_FILENO, output.data + done, output.length - done);
    if (written <= 0) exit(0);
    done += written;
  }
  output.length = 0;
}

/* The next line without its end, or NULL at the end of the input. Valid until the next call. */
static char *next_line(size_t *length) {
  static size_t consumed = 0, searched = 0;
  memmove(input.data, input.data + consumed, input.length - consumed);
  input.length -= consumed;
  searched = consumed = 0;
  for (;;) {
    char *end = input.length > searched ? memchr(input.data + searched, '\n', input.length - searched) : NULL;
    if (end) {
      *length = end - input.data;
      consumed = *length + 1;
      return input.data;
    }
    searched = input.length;
    reserve(&input, 1 << 20);
    ssize_t count = read(STDIN_FILENO, input.data + input.length, input.capacity - input.length);
    if (count <= 0) return NULL;
    if (first_byte_at == 0) first_byte_at = now(CLOCK_REALTIME);
    input.length += count;
  }
}

static char *find(char *line, size_t length, const char *what, size_t what_length) {
  return memmem(line, length, what, what_length);
}

/* The value of "request_id", which is near the beginning of a line with a large answer behind it. */
static void request_id(char *line, size_t length, char *into, size_t size) {
  char *found = find(line, length, LITERAL("\"request_id\":\""));
  if (!found) fail("a request without an id");
  found += sizeof("\"request_id\":\"") - 1;
  char *end = memchr(found, '"', line + length - found);
  if (!end || (size_t)(end - found) >= size) fail("a bad request id");
  memcpy(into, found, end - found);
  into[end - found] = 0;
}

static void answer_request(char *line, size_t length) {
  char id[200];
  request_id(line, length, id, sizeof id);
  print("{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"%s\",\"response\":"
        "{\"commands\":[],\"agents\":[],\"output_style\":\"default\",\"available_output_styles\":[],\"models\":[],"
        "\"account\":{},\"pid\":%d}}}\n", id, getpid());
  flush_output();
}

#define SESSION "\"session_id\":\"00000000-0000-4000-8000-000000000000\",\"uuid\":\"00000000-0000-4000-8000-000000000001\""

static void say_state(const char *state) {
  if (getenv("CLAUDE_CODE_SDK_READS_SESSION_STATE"))
    print("{\"type\":\"system\",\"subtype\":\"session_state_changed\",\"state\":\"%s\"," SESSION "}\n", state);
}

static void begin_turn(void) {
  say_state("running");
  print("{\"type\":\"system\",\"subtype\":\"init\",\"cwd\":\"/\",\"tools\":[\"mcp__bench__echo\"],\"mcp_servers\":"
        "[{\"name\":\"bench\",\"status\":\"connected\"}],\"model\":\"bench\",\"permissionMode\":\"default\","
        "\"slash_commands\":[],\"apiKeySource\":\"none\",\"claude_code_version\":\"2.1.325\",\"output_style\":\"default\","
        "\"agents\":[],\"skills\":[],\"plugins\":[]," SESSION "}\n");
}

static void end_turn(const char *measured) {
  print("{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"duration_ms\":1,\"duration_api_ms\":1,"
        "\"num_turns\":1,\"total_cost_usd\":0,\"usage\":{\"input_tokens\":1,\"output_tokens\":1},\"modelUsage\":{},"
        "\"permission_denials\":[],\"terminal_reason\":\"completed\",\"result\":\"");
  for (const char *at = measured; *at; at++) {
    if (*at == '"') append(LITERAL("\\"));
    append(at, 1);
  }
  print("\"," SESSION "}\n");
  say_state("idle");
  flush_output();
}

static int ascending(const void *a, const void *b) {
  double left = *(const double *)a, right = *(const double *)b;
  return left < right ? -1 : left > right;
}

typedef struct {
  long number, in_flight;
  size_t bytes;
  char *text;
  double *sent, *took;
  bool *answered;
  long next, done;
  /* When those that count begin. */
  double counted_from;
} Calls;

/* The first ones meet code that is not compiled yet; they are a case of their own. */
static long skipped(const Calls *calls) {
  return calls->number > 100 ? calls->number / 5 : 0;
}

static void call(Calls *calls) {
  long index = calls->next++;
  print("{\"type\":\"control_request\",\"request_id\":\"c%ld\",\"request\":{\"subtype\":\"mcp_message\",\"server_name\":\"bench\","
        "\"message\":{\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\"n\":%ld,\"text\":\"", index, index);
  append(calls->text, calls->bytes);
  print("\"},\"_meta\":{\"claudecode/toolUseId\":\"toolu_%ld\",\"progressToken\":%ld}},\"jsonrpc\":\"2.0\",\"id\":%ld}}}\n",
        index, index, index);
  calls->sent[index] = now(CLOCK_MONOTONIC);
}

static void take_answer(Calls *calls, char *line, size_t length) {
  double arrived = now(CLOCK_MONOTONIC);
  char id[64], expected[64];
  request_id(line, length, id, sizeof id);
  long index = id[0] == 'c' ? atol(id + 1) : -1;
  if (index < 0 || index >= calls->next) fail("an answer to no question");
  if (calls->answered[index]) fail("a second answer");
  calls->answered[index] = true;
  int size = snprintf(expected, sizeof expected, "\"text\":\"%ld:", index);
  char *found = find(line, length, expected, size);
  if (!found) fail("a wrong answer");
  if ((size_t)(line + length - found) < size + calls->bytes + 1 || memcmp(found + size, calls->text, calls->bytes) ||
      found[size + calls->bytes] != '"')
    fail("a damaged answer");
  calls->took[index] = arrived - calls->sent[index];
  if (++calls->done == skipped(calls)) calls->counted_from = arrived;
}

static void finish_calls(Calls *calls) {
  double elapsed = now(CLOCK_MONOTONIC) - calls->counted_from, first = calls->took[0];
  double *counted = calls->took + skipped(calls);
  long count = calls->number - skipped(calls);
  qsort(counted, count, sizeof *counted, ascending);
  char measured[400];
  snprintf(measured, sizeof measured,
           "{\"firstByteAt\":%.3f,\"firstCall\":%.4f,\"p50\":%.4f,\"p99\":%.4f,\"elapsed\":%.3f,\"counted\":%ld}", first_byte_at,
           first, counted[count / 2], counted[(long)(count * 0.99)], elapsed, count);
  end_turn(measured);
}

static void run_calls(long number, long in_flight, size_t bytes) {
  Calls calls = {.number = number, .in_flight = in_flight, .bytes = bytes};
  calls.text = malloc(bytes + 1);
  memset(calls.text, 'x', bytes);
  calls.sent = calloc(number, sizeof(double));
  calls.took = calloc(number, sizeof(double));
  calls.answered = calloc(number, sizeof(bool));
  calls.counted_from = now(CLOCK_MONOTONIC);
  while (calls.next < number && calls.next < in_flight) call(&calls);
  flush_output();
  while (calls.done < number) {
    size_t length;
    char *line = next_line(&length);
    if (!line) fail("the input ended before the calls");
    if (find(line, length < 64 ? length : 64, LITERAL("\"control_request\""))) {
      answer_request(line, length);
    } else if (find(line, length < 64 ? length : 64, LITERAL("\"control_response\""))) {
      take_answer(&calls, line, length);
      if (calls.next < number) call(&calls);
      flush_output();
    }
  }
  finish_calls(&calls);
}

static void run_stream(long number, size_t bytes) {
  char *text = malloc(bytes + 1);
  memset(text, 'y', bytes);
  for (long index = 0; index < number; index++) {
    print("{\"type\":\"assistant\",\"message\":{\"id\":\"msg_%ld\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"bench\","
          "\"content\":[{\"type\":\"text\",\"text\":\"", index);
    append(text, bytes);
    print("\"}],\"stop_reason\":null,\"usage\":{\"input_tokens\":1,\"output_tokens\":1}},\"parent_tool_use_id\":null," SESSION "}\n");
    if (output.length > (1 << 17)) flush_output();
  }
  char measured[100];
  snprintf(measured, sizeof measured, "{\"firstByteAt\":%.3f}", first_byte_at);
  end_turn(measured);
}

static void run(void) {
  const char *what = getenv("BENCH_AGENT");
  long number = 0, in_flight = 0, bytes = 0;
  begin_turn();
  if (what && sscanf(what, "calls %ld %ld %ld", &number, &in_flight, &bytes) == 3) return run_calls(number, in_flight, bytes);
  if (what && sscanf(what, "stream %ld %ld", &number, &bytes) == 2) return run_stream(number, bytes);
  if (!what || strcmp(what, "nothing")) fail("BENCH_AGENT says nothing that I know");
  char measured[100];
  snprintf(measured, sizeof measured, "{\"firstByteAt\":%.3f}", first_byte_at);
  end_turn(measured);
}

int main(int count, char **arguments) {
  if (count > 1 && !strcmp(arguments[1], "--version")) return puts("2.1.325 (Claude Code)") < 0;
  for (;;) {
    size_t length;
    char *line = next_line(&length);
    if (!line) return 0;
    size_t head = length < 64 ? length : 64;
    if (find(line, head, LITERAL("\"control_request\""))) answer_request(line, length);
    else if (find(line, head, LITERAL("\"type\":\"user\""))) run();
  }
}
