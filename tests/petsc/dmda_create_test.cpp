#include "petsc_support.hpp"
