#pragma once

#include <tridap/c/objects.hpp>
#include <tridap/hdf5/xdmf.hpp>

#pragma GCC visibility push(hidden)

namespace tridap::c {

hdf5::Xdmf xdmf_of(const tridap_xdmf_options& given);

}  // namespace tridap::c

#pragma GCC visibility pop
