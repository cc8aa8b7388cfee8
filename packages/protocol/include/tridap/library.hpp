#pragma once

namespace tridap {

/// The version of the library with which the program runs, such as "0.2.0". `Version` is that of the protocol. For the
/// preprocessor, <tridap/dap.h> has TRIDAP_VERSION_MAJOR and the others. Local; any thread may call it.
const char* library_version() noexcept;

/// How this library was built: lines such as "compiler: GNU 12.2.0, -O3 -DNDEBUG" and "mpi: MPI 3.1, Open MPI 4.1.4",
/// each with an end of line; the last ones are the components that need no other library ("also") and those that were
/// not built ("without"). It has no dates and no folders. For people: the lines may change. Local; any thread may call
/// it.
const char* library_build() noexcept;

/// Receives what TriDAP prints on its own account, without the last end of line: a warning that no call can return, the
/// reason why it ends the job, or a report of `mpi::watch`. Any thread may call it, also while memory has run out. It
/// must not throw, and must not call TriDAP.
using MessageSink = void (*)(const char* line);

/// Sets who receives such lines in this process, and returns who did before. At first it is `print_message`; nullptr:
/// nobody, nothing is printed. The environment variable TRIDAP_MESSAGES=off is the same as nullptr at the start. What a
/// program asks to be printed (the progress of a solve, a receipt) is no such line. Local; any thread may call it.
MessageSink set_message_sink(MessageSink sink) noexcept;

/// Prints a line on standard error.
void print_message(const char* line) noexcept;

}  // namespace tridap
