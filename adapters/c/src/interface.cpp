#include <tridap/c/handles.hpp>
#include <tridap/c/status.hpp>
#include <tridap/c/words.hpp>
#include <tridap/interface.h>

#include <cctype>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

using namespace tridap;
using namespace tridap::c;

namespace {

// "axis 0" becomes "dimension 1", and "axis" alone "dimension".
std::string with_dimensions(const std::string& text) {
  constexpr std::pair<std::string_view, std::string_view> words[] = {{"axis", "dimension"}, {"axes", "dimensions"}};
  const auto is_letter = [&](std::size_t at) {
    return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
  };
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = 0;
    for (const auto& [from, to] : words) {
      if (text.compare(at, from.size(), from) != 0 || (at > 0 && is_letter(at - 1)) || is_letter(at + from.size()))
        continue;
      result += to;
      length = from.size();
    }
    if (length == 0) {
      result += text[at++];
      continue;
    }
    at += length;
    const std::size_t digits = at + 1;
    std::size_t end = digits;
    while (end < text.size() && end - digits < 7 && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    if (at < text.size() && text[at] == ' ' && end > digits) {
      result += ' ' + std::to_string(std::stol(text.substr(digits, end - digits)) + 1);
      at = end;
    }
  }
  return result;
}

}  // namespace

int tridap_refuse(const char* value, const char* must, const char* remedy, tridap_handle_type type,
                  const MPI_Comm* comm, uint64_t of, uint64_t* number) {
  const int status = locally([&] { refuse(value, must, remedy); });
  if (number == nullptr) return status;
  *number = 0;
  const Report why = last_failure();
  const int kept = locally([&] {
    auto failed = std::make_shared<Failed>(why);
    failed->comm = comm != nullptr ? comm_of(*comm) : comm_of({of});
    *number = keep(static_cast<Kind>(type), std::move(failed));
  });
  return kept == TRIDAP_OK ? status : kept;
}

int tridap_rank_of(uint64_t number) {
  const Comm comm = communicator_of(number);
  int rank = -1;
  if (comm != nullptr) static_cast<void>(locally([&] { rank = static_cast<int>(rank_in(comm)); }));
  return rank;
}

const char* tridap_message_in_fortran(void) {
  thread_local std::string text;
  try {
    text = *tridap_message() == '\0' ? "" : with_dimensions(in_fortran(last_failure()).text());
  } catch (const std::bad_alloc&) {
    return tridap_message();
  }
  return text.c_str();
}
