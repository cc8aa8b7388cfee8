// Compiled into what links TriDAP::device: it names the component, so that no linker leaves it out.

extern "C" const int tridap_device_is_linked;

namespace {

__attribute__((used)) const int* const tridap_device = &tridap_device_is_linked;

}  // namespace
