#include "belos_managers.hpp"

#include <BelosTpetraAdapter.hpp>

#ifdef __clang__
#include <BelosBiCGStabSolMgr.hpp>
#include <BelosBlockCGSolMgr.hpp>
#include <BelosBlockGmresSolMgr.hpp>
#include <BelosFixedPointSolMgr.hpp>
#include <BelosGCRODRSolMgr.hpp>
#include <BelosGmresPolySolMgr.hpp>
#include <BelosLSQRSolMgr.hpp>
#include <BelosMinresSolMgr.hpp>
#include <BelosPCPGSolMgr.hpp>
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosPseudoBlockGmresSolMgr.hpp>
#include <BelosPseudoBlockStochasticCGSolMgr.hpp>
#include <BelosPseudoBlockTFQMRSolMgr.hpp>
#include <BelosRCGSolMgr.hpp>
#include <BelosTFQMRSolMgr.hpp>
#endif

namespace tridap::solvers {

#ifdef __clang__

// The factory keeps its managers in a static variable of an inline function that returns a map of std::string. GCC adds
// [abi:cxx11] to the name of that variable, and Clang does not. So code that Clang compiles has another variable than a
// Trilinos that GCC compiled, and the managers that Trilinos registers are not in it.
Factory belos_factory() {
  using namespace Belos;
  using Belos::Impl::registerSolverSubclassForTypes;
  using S = double;
  using V = MultiVector;
  using O = Operator;
  Factory factory;
  if (Factory::isSolverRegistered("BLOCK CG")) return factory;  // Clang compiled Trilinos, too
  registerSolverSubclassForTypes<BiCGStabSolMgr<S, V, O>, S, V, O>("BICGSTAB");
  registerSolverSubclassForTypes<BlockCGSolMgr<S, V, O>, S, V, O>("BLOCK CG");
  registerSolverSubclassForTypes<BlockGmresSolMgr<S, V, O>, S, V, O>("BLOCK GMRES");
  registerSolverSubclassForTypes<FixedPointSolMgr<S, V, O>, S, V, O>("FIXED POINT");
  registerSolverSubclassForTypes<GCRODRSolMgr<S, V, O>, S, V, O>("GCRODR");
  registerSolverSubclassForTypes<GmresPolySolMgr<S, V, O>, S, V, O>("HYBRID BLOCK GMRES");
  registerSolverSubclassForTypes<LSQRSolMgr<S, V, O>, S, V, O>("LSQR");
  registerSolverSubclassForTypes<MinresSolMgr<S, V, O>, S, V, O>("MINRES");
  registerSolverSubclassForTypes<PCPGSolMgr<S, V, O>, S, V, O>("PCPG");
  registerSolverSubclassForTypes<PseudoBlockCGSolMgr<S, V, O>, S, V, O>("PSEUDOBLOCK CG");
  registerSolverSubclassForTypes<PseudoBlockGmresSolMgr<S, V, O>, S, V, O>("PSEUDOBLOCK GMRES");
  registerSolverSubclassForTypes<PseudoBlockStochasticCGSolMgr<S, V, O>, S, V, O>("PSEUDOBLOCK STOCHASTIC CG");
  registerSolverSubclassForTypes<PseudoBlockTFQMRSolMgr<S, V, O>, S, V, O>("PSEUDOBLOCK TFQMR");
  registerSolverSubclassForTypes<RCGSolMgr<S, V, O>, S, V, O>("RCG");
  registerSolverSubclassForTypes<TFQMRSolMgr<S, V, O>, S, V, O>("TFQMR");
  return factory;
}

#else

Factory belos_factory() { return {}; }

#endif

}  // namespace tridap::solvers
