// copies MODULE...: modules that each contain TriDAP, as Python modules do, use one communicator in turn.

#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool right = true;
  for (int turn = 0; turn < 2; ++turn)
    for (int i = 1; i < argc; ++i) {
      void* const module = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
      if (module == nullptr) std::fprintf(stderr, "%s\n", dlerror());
      auto* const moves = module == nullptr ? nullptr : dlsym(module, "copies_module_moves");
      if (moves == nullptr) MPI_Abort(MPI_COMM_WORLD, 1);
      right = reinterpret_cast<bool (*)(MPI_Comm)>(moves)(MPI_COMM_WORLD) && right;
    }
  MPI_Finalize();
  return right ? 0 : 1;
}
