#pragma once

// Global Arrays itself, and what differs between its versions.

#include <mpi.h>

extern "C" {
#include <ga-mpi.h>
#include <ga.h>
#include <macdecls.h>
}
