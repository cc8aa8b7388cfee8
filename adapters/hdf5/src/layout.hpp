#pragma once

#include <tridap/internal/stored_layout.hpp>

namespace tridap::hdf5 {

using stored_layout::AxisLayout;
using stored_layout::Layout;

using stored_layout::axis_of;
using stored_layout::bounds_attribute;
using stored_layout::default_of;
using stored_layout::dim_data_attribute;
using stored_layout::has_dictionaries;
using stored_layout::layout_of;
using stored_layout::layout_text;
using stored_layout::need_bounds;
using stored_layout::padding_attribute;
using stored_layout::read_dictionaries;
using stored_layout::read_layout;
using stored_layout::specs_of;
using stored_layout::version_attribute;

}  // namespace tridap::hdf5
