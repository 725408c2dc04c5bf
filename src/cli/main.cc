// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/dispatch.h"

#include <csignal>
#include <exception>
#include <new>

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

namespace {

// A process may be started with standard streams closed. Files must not get
// their numbers: what is printed would end in them. Opened the wrong way round,
// so that using them still fails.
void occupy_standard_streams() {
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(fd, F_GETFD) < 0)
      static_cast<void>(
          open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

// Buffers for payloads come and go, and threads free much at once. Memory that
// is given back to the system has to be cleared and mapped again: by default
// that is half of all page faults.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

} // namespace

int main(int argc, char **argv) {
  occupy_standard_streams();
  keep_freed_memory();
  // Whoever reads our output may stop early: then end quietly, whatever the
  // parent process did with this signal.
  std::signal(SIGPIPE, SIG_DFL);
  gantry::cli::Console console;
  try {
    const std::vector<std::string> words(argv + (argc > 0), argv + argc);
    return gantry::cli::dispatch(words, console);
  } catch (const std::bad_alloc &) {
    return console.fail({gantry::Errc::too_large, "out of memory", {}});
  } catch (const std::exception &error) {
    return console.fail({gantry::Errc::unsupported, error.what(),
                         "this is a fault of gantry; please report it"});
  }
}
