/*
 * The native client: asks the user's daemon for one event of an agent, faster than Node can start. `.harness/guard` runs it:
 *
 *   client FOLDER MS NODE ENTRY AGENT EVENT ... --mark
 *
 * It hands the payload to the daemon that listens in FOLDER and prints the answer. Without a daemon, or if the daemon is not this
 * user's, does not greet, does not answer in its share of MS milliseconds or declines, it runs `NODE ENTRY AGENT EVENT ...` and
 * passes on its answer. An answer ends with a mark. Without a whole answer in time this program ends without one, which tells
 * the guard to refuse.
 *
 * The daemon is trusted after three checks: its folder belongs to this user and is closed to others, the socket in it is this
 * user's, and so is the process at the other end. The folder stays open and the socket is reached through it.
 *
 * src/launcher/daemon/protocol.ts describes the protocol.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MARK "#harness-answered#"
#define PROTOCOL "harness-1 "
#define GREETING_MS 400
#define LARGEST_WORDS (256 * 1024)
#define LARGEST_ENVIRONMENT (2 * 1024 * 1024)
#define LARGEST_SENT (16 * 1024 * 1024)
#define LARGEST_INPUT (100L * 1024 * 1024)
#define LARGEST_ANSWER (64L * 1024 * 1024)
#define LONGEST_MS 600000L

extern char **environ;

static volatile sig_atomic_t child = 0;
static long began = 0;

typedef struct {
  char *bytes;
  size_t length, room;
} Text;

static long now_ms(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000L + time.tv_nsec / 1000000L;
}

/* Whether all of it was taken. Safe in a signal handler. */
static int write_all(int file, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t sent = write(file, bytes, length);
    if (sent > 0) {
      bytes += sent;
      length -= (size_t)sent;
    } else if (sent < 0 && errno == EAGAIN) {
      struct pollfd ready = {file, POLLOUT, 0};
      if (poll(&ready, 1, 2000) <= 0) return 0;
    } else if (sent < 0 && errno != EINTR) {
      return 0;
    }
  }
  return 1;
}

/* Ends without a mark. Safe in a signal handler. */
static void deny(void) {
  if (child > 0) kill((pid_t)child, SIGKILL);
  _exit(1);
}

static void on_alarm(int number) {
  (void)number;
  deny();
}

static void add(Text *text, const void *bytes, size_t length) {
  if (text->length + length + 1 > text->room) {
    size_t room = (text->length + length + 1) * 2 + 4096;
    char *more = realloc(text->bytes, room);
    if (more == NULL) deny();
    text->bytes = more;
    text->room = room;
  }
  memcpy(text->bytes + text->length, bytes, length);
  text->length += length;
  text->bytes[text->length] = 0;
}

/* One more piece: 1 for some, 0 for the end, -1 for none yet or an error. */
static int take(int file, Text *text) {
  char piece[65536];
  ssize_t got = read(file, piece, sizeof piece);
  if (got > 0) add(text, piece, (size_t)got);
  return got > 0 ? 1 : got == 0 ? 0 : -1;
}

static Text read_input(void) {
  Text input = {NULL, 0, 0};
  add(&input, "", 0);
  for (;;) {
    int got = take(0, &input);
    if (got == 0) return input;
    if (got < 0 && errno == EAGAIN) {
      struct pollfd ready = {0, POLLIN, 0};
      poll(&ready, 1, 1000);
    } else if ((got < 0 && errno != EINTR) || input.length > LARGEST_INPUT) {
      deny();
    }
  }
}

/* Connected to this user's daemon, or -1. */
static int reach(const char *folder) {
  int place = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (place < 0) return -1;
  struct stat held, found;
  struct sockaddr_un address;
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
#ifdef __linux__
  snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/socket", place);
#else
  if ((size_t)snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", folder) >=
      sizeof address.sun_path) {
    close(place);
    return -1;
  }
#endif
  int ours = fstat(place, &held) == 0 && held.st_uid == geteuid() && (held.st_mode & 077) == 0 &&
             fstatat(place, "socket", &found, AT_SYMLINK_NOFOLLOW) == 0 && S_ISSOCK(found.st_mode) &&
             found.st_uid == geteuid();
  int server = ours ? socket(AF_UNIX, SOCK_STREAM, 0) : -1;
  if (server >= 0) {
    fcntl(server, F_SETFD, FD_CLOEXEC);
    fcntl(server, F_SETFL, O_NONBLOCK);
    if (connect(server, (struct sockaddr *)&address, sizeof address) != 0) {
      close(server);
      server = -1;
    }
  }
  close(place);
  if (server < 0) return -1;
#ifdef __linux__
  struct ucred peer;
  socklen_t size = sizeof peer;
  int same = getsockopt(server, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
#else
  uid_t user;
  gid_t group;
  int same = getpeereid(server, &user, &group) == 0 && user == geteuid();
#endif
  if (same) return server;
  close(server);
  return -1;
}

static void add_word(Text *text, const char *word) {
  if (text->length > 0) add(text, "", 1);
  add(text, word, strlen(word));
}

/* Everything the launcher would know: which build it is, where it was started, which files it sees, its words and variables. */
static int request_of(Text *request, const char *entry, char **words, const Text *input, long deadline) {
  struct stat found;
  if (stat(entry, &found) != 0) return 0;
#ifdef __APPLE__
  struct timespec changed = found.st_mtimespec;
#else
  struct timespec changed = found.st_mtim;
#endif
  Text said = {NULL, 0, 0}, variables = {NULL, 0, 0};
  char folder[PATH_MAX], space[128];
  if (getcwd(folder, sizeof folder) == NULL) return 0;
  ssize_t length = readlink("/proc/self/ns/mnt", space, sizeof space - 1);
  space[length < 0 ? 0 : length] = 0;
  add(&said, folder, strlen(folder));
  add(&said, "", 1);
  add(&said, space, strlen(space));
  for (; *words != NULL; words++) {
    add(&said, "", 1);
    add(&said, *words, strlen(*words));
  }
  /* The daemon has as long as this client has, whatever the launcher would take. */
  char limit[40];
  add(&said, limit, (size_t)snprintf(limit, sizeof limit, "%c--deadline%c%ld", 0, 0, deadline));
  add(&variables, "", 0);
  for (char **variable = environ; *variable != NULL; variable++) add_word(&variables, *variable);
  if (said.length > LARGEST_WORDS || variables.length > LARGEST_ENVIRONMENT || input->length > LARGEST_SENT)
    return 0;
  char line[320];
  int end = snprintf(line, sizeof line, PROTOCOL "hook %lu:%lu:%lld:%lld%09ld %zu %zu %zu\n",
                     (unsigned long)found.st_dev, (unsigned long)found.st_ino, (long long)found.st_size,
                     (long long)changed.tv_sec, changed.tv_nsec, said.length, variables.length,
                     input->length);
  add(request, line, (size_t)end);
  add(request, said.bytes, said.length);
  add(request, variables.bytes, variables.length);
  add(request, input->bytes, input->length);
  return 1;
}

/* The number that `length` characters are: digits and nothing else, at most nine and at most `most`. -1 for anything else. */
static long number(const char *text, size_t length, long most) {
  long value = 0;
  if (length == 0 || length > 9) return -1;
  for (size_t at = 0; at < length; at++) {
    if (text[at] < '0' || text[at] > '9') return -1;
    value = value * 10 + (text[at] - '0');
  }
  return value <= most ? value : -1;
}

/* Reads "answer CODE LENGTH LENGTH": 1 if the line is that, to its end. */
static int answer_line(const char *line, const char *end, int *code, size_t *out, size_t *err) {
  static const char word[] = "answer ";
  static const long most[3] = {255, LARGEST_ANSWER, LARGEST_ANSWER};
  long values[3];
  if ((size_t)(end - line) < sizeof word - 1 || memcmp(line, word, sizeof word - 1) != 0) return 0;
  line += sizeof word - 1;
  for (int at = 0; at < 3; at++) {
    const char *stop = at == 2 ? end : memchr(line, ' ', (size_t)(end - line));
    if (stop == NULL || (values[at] = number(line, (size_t)(stop - line), most[at])) < 0) return 0;
    line = stop + 1;
  }
  *code = (int)values[0];
  *out = (size_t)values[1];
  *err = (size_t)values[2];
  return *out + *err <= (size_t)LARGEST_ANSWER;
}

/* 1 if the answer is whole, 0 if more has to come, -1 if there will be none. */
static int understand(const Text *heard, int *waits, int *code, size_t *at, size_t *out, size_t *err) {
  if (heard->length == 0) return 0;
  if (strncmp(heard->bytes, PROTOCOL, heard->length < 10 ? heard->length : 10) != 0) return -1;
  char *first = memchr(heard->bytes, '\n', heard->length);
  if (first == NULL) return heard->length < 400 ? 0 : -1;
  size_t rest = heard->length - (size_t)(first + 1 - heard->bytes);
  /* A person is asked: it says so, and takes longer. */
  if (rest >= 5 && memcmp(first + 1, "wait\n", 5) == 0) {
    *waits = 1;
    first += 5;
    rest -= 5;
  }
  char *second = memchr(first + 1, '\n', rest);
  if (second == NULL) return rest < 400 ? 0 : -1;
  if (!answer_line(first + 1, second, code, out, err)) return -1;
  *at = (size_t)(second + 1 - heard->bytes);
  return heard->length - *at >= *out + *err;
}

/* Prints the daemon's answer and ends; returns if there is none. */
static void ask(const char *folder, const char *entry, char **words, const Text *input, long deadline) {
  /* The rest is for the launcher. */
  long limit = deadline * 3 / 10, patience = deadline / 10;
  int server = reach(folder);
  if (server < 0) return;
  Text request = {NULL, 0, 0}, heard = {NULL, 0, 0};
  add(&heard, "", 0);
  if (!request_of(&request, entry, words, input, deadline)) {
    close(server);
    return;
  }
  long asked = now_ms();
  size_t sent = 0, at = 0, out = 0, err = 0;
  int code = 0, state = 0, waits = 0;
  while (state == 0) {
    if (waits) limit = deadline * 3 / 4;
    long greeting = memchr(heard.bytes, '\n', heard.length) == NULL ? (patience > GREETING_MS ? patience : GREETING_MS) : limit;
    long left = (greeting < limit ? greeting : limit) - (now_ms() - asked);
    if (left <= 0) break;
    struct pollfd ready = {server, (short)(POLLIN | (sent < request.length ? POLLOUT : 0)), 0};
    /* The first piece goes without asking whether it may. */
    if (sent > 0 && poll(&ready, 1, (int)left) < 0 && errno != EINTR) break;
    if (sent == 0) ready.revents = POLLOUT;
    if (ready.revents & POLLOUT) {
      ssize_t more = send(server, request.bytes + sent, request.length - sent, MSG_NOSIGNAL);
      if (more > 0) sent += (size_t)more;
      else if (more < 0 && errno == EAGAIN && sent == 0) break;
      /* One that says no early does not read to the end: what it said is still to be read. */
      else if (more < 0 && errno != EAGAIN && errno != EINTR) sent = request.length;
    }
    if (ready.revents & (POLLIN | POLLHUP | POLLERR)) {
      int got = take(server, &heard);
      state = understand(&heard, &waits, &code, &at, &out, &err);
      if (state == 0 && (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))) break;
      if (heard.length > LARGEST_ANSWER) break;
    }
  }
  close(server);
  free(request.bytes);
  if (state == 1) {
    write_all(2, heard.bytes + at + out, err);
    int whole = write_all(1, heard.bytes + at, out) && write_all(1, MARK, sizeof MARK - 1);
    _exit(whole ? code : 1);
  }
  free(heard.bytes);
}

/* In a process of its own: the pipe of a launcher that does not read must not hold this one up. */
static int feed(const Text *input) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  pid_t feeder = fork();
  if (feeder < 0) return -1;
  if (feeder == 0) {
    close(ends[0]);
    /* What the agent waits for the end of. */
    for (int file = 0; file < 3; file++) close(file);
    signal(SIGPIPE, SIG_DFL);
    write_all(ends[1], input->bytes, input->length);
    _exit(0);
  }
  close(ends[1]);
  return ends[0];
}

/* What the launcher says, passed on if it is whole; else the deny. */
static void launch(char **command, int count, const Text *input, long deadline) {
  char **words = calloc((size_t)count + 4, sizeof *words);
  int ends[2];
  if (words == NULL) deny();
  memcpy(words, command, (size_t)count * sizeof *words);
  char left[24];
  long rest = deadline - (now_ms() - began);
  snprintf(left, sizeof left, "%ld", rest > 8 ? rest * 3 / 4 : 1);
  words[count] = "--deadline";
  words[count + 1] = left;
  words[count + 2] = "--cold";
  int from = feed(input);
  if (from < 0 || pipe(ends) != 0) deny();
  pid_t started = fork();
  if (started < 0) deny();
  if (started == 0) {
    signal(SIGPIPE, SIG_DFL);
    dup2(from, 0);
    dup2(ends[1], 1);
    close(from);
    close(ends[0]);
    close(ends[1]);
    execv(words[0], words);
    _exit(127);
  }
  child = started;
  close(from);
  close(ends[1]);
  Text said = {NULL, 0, 0};
  add(&said, "", 0);
  /* Bounded by the alarm. */
  for (int got = 1; got != 0 && said.length < LARGEST_ANSWER;) {
    got = take(ends[0], &said);
    if (got < 0 && errno != EINTR) break;
  }
  int status = 0;
  while (waitpid(started, &status, 0) < 0 && errno == EINTR) continue;
  child = 0;
  size_t mark = sizeof MARK - 1;
  int whole = WIFEXITED(status) && said.length >= mark &&
              memcmp(said.bytes + said.length - mark, MARK, mark) == 0;
  if (!whole) deny();
  _exit(write_all(1, said.bytes, said.length) ? WEXITSTATUS(status) : 1);
}

static int usage(void) {
  static const char text[] = "harness client: want FOLDER MS NODE ENTRY AGENT EVENT ... --mark\n";
  write_all(2, text, sizeof text - 1);
  return 2;
}

#ifndef FUZZ
/* As `usesDaemon` of the launcher: switched off by name, and on a build machine. */
static int daemon_wanted(void) {
  const char *own = getenv("HARNESS_DAEMON"), *ci = getenv("CI");
  if (own != NULL && strcmp(own, "sandbox") == 0) return 1;
  if (own != NULL && strcmp(own, "off") == 0) return 0;
  return ci == NULL || (strcmp(ci, "true") != 0 && strcmp(ci, "1") != 0);
}

int main(int count, char **given) {
  began = now_ms();
  long deadline = count > 5 ? number(given[2], strlen(given[2]), LONGEST_MS) : 0;
  if (deadline <= 0 || strcmp(given[count - 1], "--mark") != 0) return usage();
  char **command = given + 3;

  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_alarm;
  sigaction(SIGALRM, &action, NULL);
  sigset_t alarm_only;
  sigemptyset(&alarm_only);
  sigaddset(&alarm_only, SIGALRM);
  sigprocmask(SIG_UNBLOCK, &alarm_only, NULL);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGCHLD, SIG_DFL);
  struct itimerval timer = {{0, 0}, {deadline / 1000, (deadline % 1000) * 1000}};
  setitimer(ITIMER_REAL, &timer, NULL);

  Text input = read_input();
  if (daemon_wanted()) ask(given[1], command[1], command + 2, &input, deadline);
  launch(command, count - 3, &input, deadline);
}
#endif
