#include "sparse_case.hpp"
