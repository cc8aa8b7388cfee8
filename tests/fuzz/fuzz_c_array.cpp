// Makes a dap_array whose pointers are sound and whose fields are whatever the input says, and imports it: it is taken
// or refused, and released once. What is taken says the same when it is exported again.

#include "support/same_array.hpp"
#include <tridap/c_array.hpp>
#include <tridap/check.hpp>
#include <tridap/element_format.hpp>

#include <sanitizer/asan_interface.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <list>
#include <string>
#include <vector>

namespace {

void require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what.c_str());
  std::abort();
}

/// The input, piece by piece; zeros at its end.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}

  std::uint8_t byte() { return at_ == end_ ? std::uint8_t{0} : *at_++; }
  bool rarely() { return byte() >= 0xf0; }
  std::size_t below(std::size_t end) { return byte() % end; }
  std::int64_t word() {
    std::uint64_t word = 0;
    for (int i = 0; i < 8; ++i) word = word << 8 | byte();
    return static_cast<std::int64_t>(word);
  }
  std::int64_t number() {
    constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max(), big = std::int64_t{1} << 62;
    const std::int64_t few[] = {0, 1, 2, 3, -1, big, highest, -highest - 1, DAP_MAX_COUNT + 1};
    const std::size_t which = below(16);
    return which < 9 ? few[which] : which < 14 ? static_cast<std::int8_t>(byte()) : word();
  }
  /// Mostly `sound`.
  template <class T>
  T or_any(T sound) {
    return rarely() ? static_cast<T>(number()) : sound;
  }

 private:
  const std::uint8_t *at_, *end_;
};

/// A count that its memory holds up to, or one that nobody may follow.
std::int64_t stated(Input& in, std::size_t real) {
  if (!in.rarely()) return static_cast<std::int64_t>(real);
  const std::int64_t number = in.number();
  return number <= 0 || number > DAP_MAX_JSON ? number : static_cast<std::int64_t>(in.below(real + 1));
}

class Made {
 public:
  explicit Made(Input& in) : in_(in) {
    dap_array& c = *c_;
    c.major = in.rarely() ? in.byte() : DAP_MAJOR;
    c.minor = in.rarely() ? in.byte() : DAP_MINOR;
    c.manager_ctx = &released;
    c.deleter = [](dap_array* self) { ++*static_cast<int*>(self->manager_ctx); };
    c.flags = in.rarely() ? static_cast<std::uint64_t>(in.word()) : in.below(4);
    c.protocol_version = text({"0.10.0", "0.9.0", "0.9", "1.0.0"});
    c.buffer = buffer();
    dims_.resize(in.below(6));
    for (dap_dimension& d : dims_) d = dimension();
    c.dim_data = exact(dims_);
    c.dim_count = stated(in, dims_.size());
    reserve(c.reserved);
    if (c.major != DAP_MAJOR)
      ASAN_POISON_MEMORY_REGION(&c.protocol_version, sizeof(c) - offsetof(dap_array, protocol_version));
  }
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
  ~Made() { ASAN_UNPOISON_MEMORY_REGION(c_.get(), sizeof(dap_array)); }

  dap_array* c() { return c_.get(); }
  bool indices_are_there() const { return indices_are_there_; }

  int released = 0;

 private:
  /// A copy that ends where its last element ends, so that AddressSanitizer finds a read beyond it.
  template <class T>
  T* exact(const std::vector<T>& values) {
    if (in_.rarely()) return nullptr;
    const std::size_t bytes = values.size() * sizeof(T);
    memory_.emplace_back(std::malloc(bytes == 0 ? 1 : bytes), std::free);
    if (bytes > 0) std::memcpy(memory_.back().get(), values.data(), bytes);
    return static_cast<T*>(memory_.back().get());
  }

  dap_text text(const std::vector<std::string>& usual) {
    std::string text = usual[in_.below(usual.size())];
    if (in_.rarely()) {
      text.resize(in_.below(12));
      for (char& c : text) c = static_cast<char>(in_.byte());
    }
    const dap_text c = {exact(std::vector<char>(text.begin(), text.end())), 0};
    return {c.data, stated(in_, text.size())};
  }

  dap_text format(bool integer) {
    if (integer) return text({"q", "i", ">h", "<B", "=l", "@n", "d"});
    return text(
        {"d", "<f", ">d", "?", "b", "Zd", "@g", "Zg", "e", "5x", "s", "N", "!L", "=Q", "H", "9223372036854775807x"});
  }

  dap_device device() {
    static int queue = 0;
    dap_device c = {DAP_DEVICE_HOST, 0, nullptr, nullptr, {}};
    if (in_.rarely()) c.type = static_cast<std::int32_t>(in_.below(20)) - 2;
    if (in_.rarely()) c.id = static_cast<std::int32_t>(in_.number());
    if (in_.rarely()) c.stream = &queue;
    if (in_.rarely()) c.event = &queue;
    reserve(c.reserved);
    return c;
  }

  dap_buffer buffer() {
    dap_buffer c = {};
    const std::size_t ndim = in_.below(6);
    std::vector<std::int64_t> shape(ndim), strides(ndim);
    for (std::size_t axis = 0; axis < ndim; ++axis) {
      shape[axis] = in_.or_any<std::int64_t>(in_.byte() % 4);
      strides[axis] = in_.or_any<std::int64_t>(8);
    }
    c.data = in_.rarely() ? nullptr : reinterpret_cast<void*>(static_cast<std::uintptr_t>(in_.word()));  // never read
    c.ndim = stated(in_, ndim);
    c.shape = exact(shape);
    c.strides = exact(strides);
    c.format = format(false);
    c.device = device();
    reserve(c.reserved);
    return c;
  }

  dap_dimension dimension() {
    dap_dimension c = {};
    const std::size_t kind = in_.below(4);
    c.dist_type = in_.rarely() ? static_cast<char>(in_.byte()) : "bcun"[kind];
    c.periodic = flag();
    c.has_padding = kind == 0 || kind == 3 ? flag() : in_.or_any<std::uint8_t>(0);
    c.one_to_one = kind == 2 ? flag() : in_.or_any<std::uint8_t>(0);
    c.reserved_flags[in_.below(4)] = in_.or_any<std::uint8_t>(0);
    c.size = in_.number();
    c.proc_grid_size = kind == 3 ? in_.or_any<std::int64_t>(1) : in_.number();
    c.proc_grid_rank = kind == 3 ? in_.or_any<std::int64_t>(0) : in_.number();
    c.start = kind < 2 ? in_.number() : in_.or_any<std::int64_t>(0);
    c.stop = kind == 0 ? in_.number() : in_.or_any<std::int64_t>(0);
    c.block_size = kind == 1 ? in_.number() : in_.or_any<std::int64_t>(0);
    for (std::int64_t& width : c.padding) width = c.has_padding == 1 ? in_.number() : in_.or_any<std::int64_t>(0);
    if (c.dist_type == 'u' || in_.rarely()) c.indices = indices();
    std::vector<dap_extra> extras(in_.rarely() ? in_.below(4) : 0);
    for (dap_extra& extra : extras) {
      extra.key = text({"units", "origin", "start", ""});
      extra.json = text({"1", "null", "[\"\xc3\xa9\"]"});
      reserve(extra.reserved);
    }
    c.extras = exact(extras);
    c.extra_count = stated(in_, extras.size());
    reserve(c.reserved);
    return c;
  }

  dap_indices indices() {
    dap_indices c = {};
    std::vector<std::uint8_t> bytes(256);
    for (std::size_t i = 0; i < 64; ++i) bytes[96 + i] = in_.byte();
    const std::uint8_t* memory = exact(bytes);
    c.data = memory == nullptr ? nullptr : memory + 128;
    c.count = static_cast<std::int64_t>(in_.below(8));
    c.stride = static_cast<std::int64_t>(in_.below(17)) * 2 - 16;
    if (in_.rarely()) {
      c.count = in_.number();
      c.stride = in_.number();
      indices_are_there_ = false;
    }
    c.format = format(true);
    c.device = device();
    reserve(c.reserved);
    return c;
  }

  std::uint8_t flag() { return in_.or_any<std::uint8_t>(in_.byte() & 1); }

  template <std::size_t N>
  void reserve(std::uint64_t (&words)[N]) {
    words[in_.below(N)] = in_.or_any<std::uint64_t>(0);
  }

  Input& in_;
  std::unique_ptr<dap_array> c_ = std::make_unique<dap_array>();
  std::vector<dap_dimension> dims_;
  std::list<std::unique_ptr<void, decltype(&std::free)>> memory_;
  bool indices_are_there_ = true;
};

bool same(const dap_text& a, const dap_text& b) {
  return a.size == b.size && (a.size == 0 || std::memcmp(a.data, b.data, static_cast<std::size_t>(a.size)) == 0);
}

bool same_format(const dap_text& a, const dap_text& b) {
  const auto type = [](const dap_text& t) {
    return tridap::parse_element_format({t.data, static_cast<std::size_t>(t.size)});
  };
  return type(a) == type(b);
}

bool same(const dap_device& a, const dap_device& b) {
  const bool pinned = a.type == DAP_DEVICE_CUDA_HOST || a.type == DAP_DEVICE_ROCM_HOST;
  return a.type == b.type && b.id == (pinned ? 0 : a.id);
}

bool same(const dap_dimension& a, const dap_dimension& b) {
  const bool whole = a.dist_type == 'n';  // becomes the block [0, size)
  bool same_fields = b.dist_type == (whole ? 'b' : a.dist_type) && a.periodic == b.periodic &&
                     a.has_padding == b.has_padding && a.one_to_one == b.one_to_one && a.size == b.size &&
                     a.proc_grid_size == b.proc_grid_size && a.proc_grid_rank == b.proc_grid_rank &&
                     a.start == b.start && b.stop == (whole ? a.size : a.stop) && a.block_size == b.block_size &&
                     a.padding[0] == b.padding[0] && a.padding[1] == b.padding[1] && a.extra_count == b.extra_count;
  for (std::int64_t i = 0; same_fields && i < a.extra_count; ++i)
    same_fields = same(a.extras[i].key, b.extras[i].key) && same(a.extras[i].json, b.extras[i].json);
  const dap_indices &x = a.indices, &y = b.indices;
  return same_fields && x.data == y.data && x.count == y.count && x.stride == y.stride &&
         (a.dist_type != 'u' || (same_format(x.format, y.format) && same(x.device, y.device)));
}

/// What was taken from `a` was exported again as `b`.
bool same(const dap_array& a, const dap_array& b) {
  bool same_fields = (a.flags & DAP_FLAG_READ_ONLY) == b.flags && same(a.protocol_version, b.protocol_version) &&
                     a.buffer.data == b.buffer.data && a.buffer.ndim == b.buffer.ndim &&
                     same_format(a.buffer.format, b.buffer.format) && same(a.buffer.device, b.buffer.device) &&
                     a.dim_count == b.dim_count;
  for (std::int64_t i = 0; same_fields && i < a.buffer.ndim; ++i)
    same_fields = a.buffer.shape[i] == b.buffer.shape[i] && a.buffer.strides[i] == b.buffer.strides[i];
  for (std::int64_t i = 0; same_fields && i < a.dim_count; ++i) same_fields = same(a.dim_data[i], b.dim_data[i]);
  return same_fields;
}

/// True where it was taken.
bool import(Made& made) {
  try {
    const tridap::DistArray array = tridap::from_c(tridap::CArray(made.c()));
    require(made.released == 0, "a taken array is not released while it is used");
    const tridap::CArray again = tridap::to_c(array);
    require(same(*made.c(), *again), "what is taken is exported as it came");
    require(same_array::differs(array, tridap::from_c(tridap::to_c(array))).empty(), "export and import are inverse");
    if (made.indices_are_there()) {
      std::vector<char> message(100);
      const int status = dap_array_check(again.get(), message.data(), message.size());
      require((status == DAP_OK) == tridap::check(array).ok(), "dap_array_check says what check() says");
    }
    return true;
  } catch (const tridap::Error& error) {
    require(made.released == 1, "a refused array is released before the refusal");
    require(!error.report().ok() && !error.report().text().empty(), "a refusal has a reason");
    return false;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input in(data, size);
  Made made(in);
  const bool known = made.c()->major == DAP_MAJOR;
  int status = DAP_OK;
  if (made.indices_are_there()) {
    std::vector<char> message(in.below(64));
    status = dap_array_check(made.c(), message.data(), message.size());
    require(message.empty() || std::memchr(message.data(), 0, message.size()) != nullptr, "a message ends");
    require((status == DAP_UNKNOWN_MAJOR) != known, "an unknown major is said to be one");
    require(made.released == 0, "a check releases nothing");
  }
  const bool taken = import(made);
  require(made.released == 1, "the deleter is called once");
  require(taken || !made.indices_are_there() || status != DAP_OK, "what is refused does not pass the check");
  return 0;
}
