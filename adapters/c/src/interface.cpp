#include <tridap/c/handles.hpp>
#include <tridap/c/status.hpp>
#include <tridap/c/words.hpp>
#include <tridap/detail/say.hpp>
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

// Words before a number that counts from 0 in C, and from 1 in Fortran. "axis" also stands alone.
constexpr std::pair<std::string_view, std::string_view> counted[] = {
    {"axis", "dimension"},        {"axes", "dimensions"},
    {"ghost", "ghost"},           {"index", "index"},
    {"local row", "local row"},   {"array", "array"},
    {"has the id", "has the id"}, {"a global index, from 0 to", "a global index, from 1 to"},
};

bool is_letter(const std::string& text, std::size_t at) {
  return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
}

// The end of the number that begins at a place; the place itself if there is none.
std::size_t end_of_number(const std::string& text, std::size_t begin) {
  std::size_t end = begin < text.size() && text[begin] == '-' ? begin + 1 : begin;
  const std::size_t digits = end;
  while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
  return end > digits && end - digits < 19 ? end : begin;
}

// "axis 0" becomes "dimension 1", and "axis" alone "dimension".
std::string from_1(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = 0;
    for (const auto& [from, to] : counted) {
      if (text.compare(at, from.size(), from) != 0 || (at > 0 && is_letter(text, at - 1)) ||
          is_letter(text, at + from.size()))
        continue;
      result += to;
      length = from.size();
      break;
    }
    if (length == 0) {
      result += text[at++];
      continue;
    }
    at += length;
    if (at >= text.size() || text[at] != ' ') continue;
    const std::size_t end = end_of_number(text, at + 1);
    if (end == at + 1) continue;
    result += ' ' + std::to_string(std::stoll(text.substr(at + 1, end - at - 1)) + 1);
    at = end;
  }
  return result;
}

// A report in the words of Fortran, where a text can be kept for the caller.
const char* in_words_of_fortran(const Report& report, std::string& kept) {
  kept = from_1(in_fortran(report).text());
  return kept.c_str();
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

void tridap_say_line(const char* line) { tridap::say_line(line); }

tridap_speaker tridap_who_says(void) {
  switch (speaker_of_last_failure()) {
    case Speaker::first_of_all:
      return TRIDAP_SAYS_FOR_ALL;
    case Speaker::not_this_one:
      return TRIDAP_ANOTHER_SAYS;
    case Speaker::this_one:
      break;
  }
  return TRIDAP_SAYS_ALONE;
}

const char* tridap_message_in_fortran(void) {
  thread_local std::string text;
  if (*tridap_message() == '\0') return "";
  try {
    return in_words_of_fortran(last_failure(), text);
  } catch (const std::bad_alloc&) {
    return tridap_message();
  }
}

const char* tridap_checked_in_fortran(void) {
  thread_local std::string text;
  try {
    return in_words_of_fortran(last_checked(), text);
  } catch (const std::bad_alloc&) {
    return "memory has run out";
  }
}
