#pragma once

#include <tridap/flat_numbers.hpp>
#include <tridap/redistribute/placed.hpp>

#include <mpi.h>

#include <functional>

namespace tridap::redistribute {

/// The same distribution, of which this process knows where the elements with some flat numbers are: those that
/// `visit_numbers(visit)` visits. **Collective**: an Inquiry. Throws the same Error on every
/// process or on none.
PlacedDistribution learned_of_numbers(
    const PlacedDistribution& array, Order order,
    const std::function<void(const std::function<void(Index number)>&)>& visit_numbers, MPI_Comm comm);

}  // namespace tridap::redistribute
