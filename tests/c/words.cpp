// Prints each line of standard input as a message of C, or of Fortran, has it: `words c`, `words fortran`.

#include <tridap/c/words.hpp>

#include <iostream>
#include <string>

int main(int argc, char** argv) {
  const bool fortran = argc > 1 && std::string(argv[1]) == "fortran";
  for (std::string line; std::getline(std::cin, line);) {
    tridap::Report report;
    tridap::Finding finding;
    finding.value = line;
    report.add(finding);
    std::cout << (fortran ? tridap::c::in_fortran(report) : tridap::c::in_c(report)).findings().front().value << '\n';
  }
}
