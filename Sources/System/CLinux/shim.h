// The parts of Linux that Swift's Glibc module leaves out.
#pragma once
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

// CPU_COUNT is a macro, and cpu_set_t hides behind _GNU_SOURCE, which the compiler's own module may not have set:
// so the system call itself. The number of cores that this thread may run on; 1 when that cannot be told.
static inline int listway_available_cores(void) {
  unsigned long set[16] = {0};
  long bytes = syscall(SYS_sched_getaffinity, 0, sizeof set, set);
  int count = 0;
  for (unsigned long i = 0; bytes > 0 && i < (unsigned long)bytes / sizeof set[0]; i++)
    count += __builtin_popcountl(set[i]);
  return count > 0 ? count : 1;
}

// The columns of the terminal that a descriptor is open on; 80 when that cannot be told.
static inline int listway_terminal_columns(int descriptor) {
  struct winsize size = {0};
  return ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// Has the C library keep up to so many freed bytes at the end of each heap, and take blocks up to that size from the heap.
static inline void listway_keep_freed_memory(int bytes) {
  mallopt(M_TRIM_THRESHOLD, bytes);
  mallopt(M_MMAP_THRESHOLD, bytes);
}
