/* Lets one call of a function fail: FAULT="name n errno", the n-th call of it in this process; FAULT_MARK is a link that
   says that it was reached. With FAULT_COUNTS, a file, nothing fails, and each call adds a line with its name to it.
   Preloaded by faults.py. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static char name[32];
static int number, code, calls;

__attribute__((constructor)) static void prepare(void) {
  const char* fault = getenv("FAULT");
  if (fault == NULL || sscanf(fault, "%31s %d %d", name, &number, &code) != 3) number = 0;
}

/* The library asks for renameat2 in this way, since glibc's own is newer than some machines. */
static long really(long which, long a, long b, long c, long d, long e, long f) {
  static long (*real)(long, ...);
  if (real == NULL) real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  return real(which, a, b, c, d, e, f);
}

static void count(const char* path, const char* called) {
  char line[40];
  const int size = snprintf(line, sizeof line, "%s\n", called);
  const int file = (int)really(SYS_openat, AT_FDCWD, (long)path, O_WRONLY | O_CREAT | O_APPEND, 0600, 0, 0);
  if (file < 0 || really(SYS_write, file, (long)line, size, 0, 0, 0) != size) abort();
  really(SYS_close, file, 0, 0, 0, 0, 0);
}

static int fails(const char* called) {
  const char* counts = getenv("FAULT_COUNTS");
  if (counts != NULL) count(counts, called);
  if (number == 0 || strcmp(called, name) != 0 || __sync_add_and_fetch(&calls, 1) != number) return 0;
  const char* mark = getenv("FAULT_MARK");
  if (mark != NULL && symlink("reached", mark) != 0) abort();
  errno = code;
  return 1;
}

#define REAL(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

static mode_t mode_of(int flags, va_list rest) { return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0; }

#define OPENS(function)                                                                  \
  int function(const char* path, int flags, ...) {                                       \
    va_list rest;                                                                        \
    va_start(rest, flags);                                                               \
    const mode_t mode = mode_of(flags, rest);                                            \
    va_end(rest);                                                                        \
    return fails("open") ? -1 : REAL(function)(path, flags, mode);                       \
  }
OPENS(open)
OPENS(open64)

ssize_t write(int file, const void* bytes, size_t size) {
  return file != STDERR_FILENO && fails("write") ? -1 : REAL(write)(file, bytes, size);
}
ssize_t read(int file, void* bytes, size_t size) { return fails("read") ? -1 : REAL(read)(file, bytes, size); }
int fsync(int file) { return fails("fsync") ? -1 : REAL(fsync)(file); }
int rename(const char* from, const char* to) { return fails("rename") ? -1 : REAL(rename)(from, to); }
int access(const char* path, int mode) { return fails("access") ? -1 : REAL(access)(path, mode); }
int close(int file) {
  if (!fails("close")) return REAL(close)(file);
  REAL(close)(file);
  errno = code;
  return -1;
}
void* mmap(void* at, size_t size, int protection, int flags, int file, off_t offset) {
  return fails("mmap") ? MAP_FAILED : REAL(mmap)(at, size, protection, flags, file, offset);
}
void* mmap64(void* at, size_t size, int protection, int flags, int file, off64_t offset) {
  return fails("mmap") ? MAP_FAILED : REAL(mmap64)(at, size, protection, flags, file, offset);
}
long syscall(long which, ...) {
  va_list rest;
  va_start(rest, which);
  long given[6];
  for (int i = 0; i < 6; ++i) given[i] = va_arg(rest, long);
  va_end(rest);
  if (which == SYS_renameat2 && fails("renameat2")) return -1;
  return really(which, given[0], given[1], given[2], given[3], given[4], given[5]);
}
int stat(const char* path, struct stat* out) { return fails("stat") ? -1 : REAL(stat)(path, out); }
int fstat(int file, struct stat* out) { return fails("fstat") ? -1 : REAL(fstat)(file, out); }
void* malloc(size_t size) {
  static __thread int inside;
  static void* (*real)(size_t);
  if (real == NULL && !inside) {
    inside = 1;
    real = (void* (*)(size_t))dlsym(RTLD_NEXT, "malloc");
    inside = 0;
  }
  if (size >= 4096 && fails("malloc")) return NULL;
  return real(size);
}
