#include "shared_file.hpp"
#include <tridap/detail/refuse.hpp>
#include <tridap/detail/say.hpp>
#include <tridap/internal/collective_call.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/internal/room.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/mpi/watch.hpp>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <random>
#include <string>
#include <thread>

namespace tridap::mpi {

namespace {

using Nanoseconds = std::int64_t;
constexpr Nanoseconds second = 1000000000;

// What one process says about itself. It writes this at short intervals, so that a process that ended or hangs needs no
// help of its own.
struct Slot {
  std::atomic<std::uint32_t> version{0};  // odd while it is written
  std::atomic<Nanoseconds> seen{0};       // when it was written
  std::atomic<std::int64_t> process{0};
  std::atomic<int> rank{0};
  std::array<std::atomic<char>, 480> text{};
};

// The memory that the processes of a node share. A new file is zero, which is a valid Page.
struct Page {
  std::atomic<Nanoseconds> reported{0};
  Slot slots[1];  // as many as there are processes
};
static_assert(std::atomic<Nanoseconds>::is_always_lock_free && std::atomic<char>::is_always_lock_free);

std::size_t bytes_of_page(int processes) { return sizeof(Page) + sizeof(Slot) * static_cast<std::size_t>(processes); }

std::string seconds_of(Nanoseconds time) { return std::to_string((time + second / 2) / second) + " s"; }

std::string at(const ThreadCalls& thread) {
  const char* const place = thread.place.load(std::memory_order_relaxed);
  return place != nullptr ? std::string(" (") + place + ")" : "";
}

std::string shown_call(const ThreadCalls& thread, int depth, Nanoseconds now) {
  std::string text = "in ";
  const char* before = "";
  for (int i = 0; i < std::min(depth, ThreadCalls::most_names); ++i) {
    const char* const name = thread.names[static_cast<std::size_t>(i)].load(std::memory_order_relaxed);
    if (name == nullptr || std::strcmp(name, before) == 0) continue;
    text += (*before != '\0' ? " > " : "") + std::string(name);
    before = name;
  }
  text += " for " + seconds_of(now - thread.since.load(std::memory_order_relaxed));
  if (thread.waits.load(std::memory_order_relaxed)) text += ", waiting for the other processes to begin it";
  return text + at(thread);
}

// Where this process is, and since when its oldest call runs; 0: it is in none.
std::string shown_process(Nanoseconds now, Nanoseconds& since) {
  State& all = state();
  const std::lock_guard lock(all.guard_of_threads);
  std::string text;
  const ThreadCalls* last = nullptr;
  since = 0;
  for (const ThreadCalls* thread = all.threads; thread != nullptr; thread = thread->next) {
    const int depth = thread->depth.load(std::memory_order_acquire);
    const Nanoseconds until = thread->until.load(std::memory_order_relaxed);
    if (depth > 0) {
      text += (text.empty() ? "" : "; another thread ") + shown_call(*thread, depth, now);
      const Nanoseconds began = thread->since.load(std::memory_order_relaxed);
      since = since == 0 ? began : std::min(since, began);
    } else if (until > 0 && (last == nullptr || until > last->until.load(std::memory_order_relaxed))) {
      last = thread;
    }
  }
  if (!text.empty()) return text;
  text = "in no call of TriDAP";
  const char* const name = last != nullptr ? last->names[0].load(std::memory_order_relaxed) : nullptr;
  if (name == nullptr) return text;
  return text + "; last call " + name + " " + seconds_of(now - last->until.load(std::memory_order_relaxed)) + " ago" +
         at(*last);
}

// What /proc says about a process of this node.
enum class Condition {
  unknown,
  runs,
  stopped,
  ended  // also if no other process has asked for its status yet
};

Condition condition_of(std::int64_t process) {
  std::array<char, 64> path{};
  std::snprintf(path.data(), path.size(), "/proc/%lld/stat", static_cast<long long>(process));
  const int file = ::open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return ::kill(static_cast<pid_t>(process), 0) == 0 || errno != ESRCH ? Condition::unknown : Condition::ended;
  std::array<char, 512> text{};
  const auto length = ::read(file, text.data(), text.size() - 1);
  ::close(file);
  const char* const name_ends = length > 0 ? std::strrchr(text.data(), ')') : nullptr;
  if (name_ends == nullptr) return Condition::unknown;
  switch (name_ends[2]) {
    case 'Z':
    case 'X':
      return Condition::ended;
    case 'T':  // by a signal
    case 't':  // by a debugger
      return Condition::stopped;
    default:
      return Condition::runs;
  }
}

// A watch of this process, and its thread.
class Watcher {
 public:
  Watcher(Page* page, int processes, int place, int rank, double seconds)
      : page_(page),
        processes_(processes),
        place_(place),
        rank_(rank),
        limit_(static_cast<Nanoseconds>(seconds * static_cast<double>(second))),
        interval_(std::clamp(limit_ / 4, second / 50, second / 4)),
        node_(node_name()) {
    say(now_in_calls());
    sigset_t all, before;  // signals are for the threads of the program
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      thread_ = std::thread([this] { run(); });
    } catch (...) {
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
      throw;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  ~Watcher() {
    {
      const std::lock_guard lock(guard_);
      ends_ = true;
    }
    ended_.notify_all();
    thread_.join();
    ::munmap(page_, bytes_of_page(processes_));
  }

 private:
  Slot& slot(int place) { return page_->slots[place]; }

  // Waits; returns true if the watch ends.
  bool pause() {
    std::unique_lock lock(guard_);
    return ended_.wait_for(lock, std::chrono::nanoseconds(interval_), [&] { return ends_; });
  }

  void run() {
    while (!pause()) {
      Nanoseconds since = say(now_in_calls());
      if (since == 0 || now_in_calls() - since < limit_ || !claims(since)) continue;
      for (int i = 0; i < 2; ++i) {  // until the others have written where they are now
        if (pause()) return;
        since = say(now_in_calls());
      }
      if (since != 0 && now_in_calls() - since >= limit_) print(now_in_calls() - since);
    }
  }

  // Writes where this process is; returns since when its oldest call runs.
  Nanoseconds say(Nanoseconds now) {
    Nanoseconds since = 0;
    std::string text;
    try {
      text = shown_process(now, since);
    } catch (...) {  // no memory: the last text stays
      return since;
    }
    Slot& own = slot(place_);
    own.process.store(::getpid());
    own.rank.store(rank_);
    own.version.fetch_add(1);
    const std::size_t length = std::min(text.size(), own.text.size() - 1);
    for (std::size_t i = 0; i <= length; ++i) own.text[i].store(i < length ? text[i] : '\0', std::memory_order_relaxed);
    own.version.fetch_add(1);
    own.seen.store(now);
    return since;
  }

  // Whether this process prints the report of a call: no process of the node has printed one late in this call.
  bool claims(Nanoseconds since) {
    Nanoseconds reported = page_->reported.load();
    return reported < since + limit_ / 2 && page_->reported.compare_exchange_strong(reported, now_in_calls());
  }

  std::string said(Slot& other) {
    for (int attempt = 0; attempt < 1000; ++attempt) {
      const std::uint32_t before = other.version.load();
      std::string text;
      for (const std::atomic<char>& c : other.text) {
        const char read = c.load(std::memory_order_relaxed);
        if (read == '\0') break;
        text += read;
      }
      std::atomic_thread_fence(std::memory_order_acquire);
      if (before % 2 == 0 && before == other.version.load()) return text;
      std::this_thread::yield();
    }
    return "unknown";
  }

  void print(Nanoseconds waited) {
    try {
      std::string text = "tridap: rank " + std::to_string(rank_) + " is in one call for " + seconds_of(waited) +
                         ". The processes of " + node_ + ":\n";
      const Nanoseconds now = now_in_calls();
      for (int place = 0; place < processes_; ++place) {
        Slot& other = slot(place);
        text += "  rank " + std::to_string(other.rank.load()) + ": ";
        const Condition condition = condition_of(other.process.load());
        if (condition == Condition::ended) {
          text += "the process has ended\n";
          continue;
        }
        const Nanoseconds silent = now - other.seen.load();
        if (condition == Condition::stopped) {
          text += "the process is stopped; " + seconds_of(silent) + " ago it was " + said(other) + "\n";
          continue;
        }
        text += said(other);
        if (silent > 4 * interval_ + second)
          text += "; it does not watch any more, or cannot run, since " + seconds_of(silent);
        text += "\n";
      }
      text.pop_back();
      say_line(text.c_str());
    } catch (...) {  // no memory for a report
    }
  }

  Page* page_;
  int processes_, place_, rank_;
  Nanoseconds limit_, interval_;
  std::string node_;
  std::mutex guard_;
  std::condition_variable ended_;
  bool ends_ = false;
  std::thread thread_;
};

// Never destroyed by the end of the program, at which other threads may still call us.
Watcher*& running() {
  static Watcher* watcher = nullptr;
  return watcher;
}

// The memory of the node, or null with the reason in errno.
Page* mapped(const SharedFile& file, std::size_t bytes, bool makes) {
  if (file.descriptor() < 0) {
    errno = file.error();
    return nullptr;
  }
  if (makes) {
    const int status = ::posix_fallocate(file.descriptor(), 0, static_cast<off_t>(bytes));
    if (status != 0) {
      errno = status;
      return nullptr;
    }
  }
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.descriptor(), 0);
  return memory == MAP_FAILED ? nullptr : static_cast<Page*>(memory);
}

// One page for the processes of a node, of which rank 0 makes it. **Collective** over `node`.
Page* shared_page(MPI_Comm node, bool named, std::size_t bytes) {
  const int rank = static_cast<int>(rank_of(node));
  std::uint64_t id = 0;
  if (rank == 0) {
    std::random_device random;
    id = std::uint64_t{random()} << 32 | random();
  }
  id = broadcast(id, 0, node);
  SharedFile file;
  Page* page = nullptr;
  if (rank == 0) {
    file = named ? SharedFile::make(FileMaker{id, 0}, 0) : SharedFile::make();
    page = mapped(file, bytes, true);
  }
  const FileAddress address = broadcast(file.address(), 0, node);
  if (rank != 0) {
    file = named ? SharedFile::open(FileMaker{id, 0}, 0) : SharedFile::open(address);
    page = mapped(file, bytes, false);
  }
  if (MpiCollectives(node).all(page != nullptr)) return page;  // and so the file may be closed
  if (page != nullptr) ::munmap(page, bytes);
  return nullptr;
}

struct Node {  // freed by its destructor
  MPI_Comm comm = MPI_COMM_NULL;
  ~Node() {
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }
};

}  // namespace

void watch(double seconds, MPI_Comm comm) {
  const Call call(comm, "mpi::watch", {}, [&](Record& record) {
    if (!(seconds >= 0 && seconds < 1e9))
      refuse("seconds is " + std::to_string(seconds), "must be at least 0, and below 1e9", "pass 30, or 0 to end it");
    record.add(static_cast<Index>(seconds * 1000));
  });
  if (!call.is_same(0))
    refuse("seconds differs between processes", "must be the same on every process", "pass the same on every process");
  state().watches = false;
  delete std::exchange(running(), nullptr);
  if (call.largest(0) == 0) return;
  Node node;
  must_succeed_everywhere(MPI_Comm_split_type(call.comm(), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node.comm),
                          "MPI_Comm_split_type", call.comm());
  const int processes = processes_of(node.comm);
  const std::size_t bytes = bytes_of_page(processes);
  Page* page = shared_page(node.comm, false, bytes);
  if (page == nullptr) page = shared_page(node.comm, true, bytes);
  collectively(call.comm(), [&] {
    if (page == nullptr)
      refuse("the processes of " + node_name() + " have no shared memory for the watch", "must share /dev/shm",
             "let all processes of a node use one /dev/shm", {}, Rule::process_failure);
    running() = new Watcher(page, processes, static_cast<int>(rank_of(node.comm)),
                            static_cast<int>(rank_of(call.comm())), seconds);
  });
  state().watches = true;
}

}  // namespace tridap::mpi
