// What must not compile, with a message that names the types which do.

#include <tridap/buffer.hpp>

const auto refused = tridap::element_type<std::complex<int>>();
