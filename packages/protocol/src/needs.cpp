#include <tridap/detail/refuse.hpp>
#include <tridap/internal/needs.hpp>

namespace tridap {

void need_host_memory(const Buffer& buffer, const std::string& called) {
  if (!buffer.memory.is_on_host())
    refuse(called + " is in " + buffer.memory.name() + " memory", "must be in host memory", "copy it to host memory");
}

void need_processes(const Distribution& distribution, Index processes, const std::string& called) {
  if (distribution.processes() != processes)
    refuse(called + " is for " + std::to_string(distribution.processes()) + " processes, and the communicator has " +
               std::to_string(processes),
           "", "give the communicator of the distribution's processes", {}, Rule::grid_product);
}

void need_part(const Buffer& buffer, const Distribution& distribution, Index process, const std::string& called) {
  if (buffer.shape != IndexList(distribution.local_shape(process)))
    refuse(called + " has another shape than this process's part", "", "give the whole local buffer");
}

void add_lost_keys(const DimData& dim_data, Receipt& receipt, const std::string& of) {
  for (const Dimension& dimension : dim_data)
    for (const Extra& extra : dimension.extras) receipt.losses.push_back("the key '" + extra.key + "'" + of);
}

}  // namespace tridap
