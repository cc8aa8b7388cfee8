#include "agreement.hpp"

#include <tridap/detail/refuse.hpp>
#include <tridap/internal/digest.hpp>
#include <tridap/internal/mpi_collectives.hpp>
#include <tridap/internal/placement.hpp>
#include <tridap/internal/typed.hpp>
#include <tridap/memory_order.hpp>
#include <tridap/mpi/agree.hpp>
#include <tridap/report.hpp>

#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>

namespace tridap::redistribute {

Index fingerprint(const Scaling& scaling) {
  const double numbers[] = {scaling.alpha.real(), scaling.alpha.imag(), scaling.beta.real(), scaling.beta.imag()};
  Digest digest;
  for (const double number : numbers) {
    Index bits = 0;
    const double positive = number + 0.0;  // -0 is 0
    std::memcpy(&bits, &positive, sizeof(bits));
    digest.add(bits);
  }
  return digest.value();
}

void throw_if_different(const Agreement& agreement) {
  if (agreement.differ(Agreement::plan))
    refuse("the processes move with different plans", "must be the same on every process",
           "call the same plan on every process, in the same order");
  if (agreement.differ(Agreement::makes_target))
    refuse("some processes pass a target, and others let the plan make it", "must be the same on every process",
           "pass a target on every process; a process without a part passes DistArray{}");
  if (agreement.differ(Agreement::moves))
    refuse("the processes give different numbers of arrays", "must be the same on every process",
           "pass every array on every process; a process without a part passes DistArray{}");
  if (agreement.differ(Agreement::scaling))
    refuse("the processes give different alpha or beta", "must be the same on every process",
           "pass the same Scaling on every process");
  for (const auto question : {Agreement::source_type, Agreement::target_type})
    if (agreement.differ(question))
      refuse(std::string("the ") + (question == Agreement::source_type ? "source" : "target") +
                 "'s element types differ between processes",
             "must be the same on every process", "pass parts of one array");
}

void throw_if_plans_differ(const mpi::Call& call, std::size_t number) {
  if (!call.is_same(number))
    refuse("the processes plan with different distributions, placements or options",
           "must be the same on every process",
           "pass distributions from tridap::mpi::gather_distribution, and the same options, on every process");
}

void refuse_different(Index number, const std::string& what, const std::string& remedy, MPI_Comm comm) {
  const MinMax spread = mpi::min_max({number}, comm).front();
  refuse("processes " + std::to_string(std::min(spread.smallest_rank, spread.largest_rank)) + " and " +
             std::to_string(std::max(spread.smallest_rank, spread.largest_rank)) + " give different " + what,
         "must be the same on every process", remedy);
}

Agreed agreed_by(const Agreement& agreement) {
  Agreed agreed;
  for (const auto& [end, question] :
       {std::pair(End::source, Agreement::shared_source), std::pair(End::target, Agreement::shared_target)})
    if (const auto number = agreement.value(question); number && *number >= 0) {
      agreed.direct = end;
      agreed.order = *number % 2 == 0 ? Order::row_major : Order::column_major;
    }
  if (const auto type = agreement.value(Agreement::source_type)) agreed.source_bytes = type_of_number(*type).bytes;
  if (const auto type = agreement.value(Agreement::target_type)) agreed.target_bytes = type_of_number(*type).bytes;
  agreed.stream_order = agreement.value(Agreement::stream_order).value_or(0);
  return agreed;
}

Index fingerprint(const Plan& plan, const Options& options) {
  return fingerprint(plan.source(), plan.target(), plan.element_bytes(), options);
}

Index fingerprint(const PlacedDistribution& source, const PlacedDistribution& target, Index element_bytes,
                  const Options& options) {
  Digest digest;
  for (const PlacedDistribution* side : {&source, &target}) digest.add(fingerprint(*side));
  const Mapping& mapping = options.mapping;
  digest.add_all(mapping.axes);
  const Index ravel = mapping.ravel ? static_cast<Index>(*mapping.ravel) : -1;
  for (const Index number :
       {element_bytes, Index{mapping.fill_padding}, Index{mapping.partial}, ravel, static_cast<Index>(options.path),
        Index{options.convert}, static_cast<Index>(options.order)})
    digest.add(number);
  return digest.value();
}

// Below 2^31 the length, kind and byte order; above, which description: elements of 2^27 bytes have none.
constexpr Index known_bits = 31, without_description = Index{1} << 62;

Index type_number(const ElementType& type) {
  const Index known = type.bytes * 16 + static_cast<Index>(type.kind) * 2 + Index{type.native_order};
  if (known >> known_bits != 0) return without_description | known;
  return type.description_number() << known_bits | known;
}

ElementType type_of_number(Index number) {
  const bool all_known = (number & without_description) != 0;
  const Index known = number & (all_known ? ~without_description : (Index{1} << known_bits) - 1);
  return {static_cast<ElementType::Kind>(known / 2 % 8), known / 16, known % 2 != 0};
}

ElementType agreed_type(Index number, const ElementType& own, MPI_Comm comm) {
  ElementType type = type_of_number(number);
  if (type_number(type) == number) return type;  // without a description
  const int ours = type_number(own) == number ? static_cast<int>(mpi::rank_of(comm)) : std::numeric_limits<int>::max();
  const int lowest = mpi::reduced(ours, MPI_MIN, comm);
  type.description = own.description;
  mpi::broadcast(type.description, lowest, comm);
  return type;
}

}  // namespace tridap::redistribute
