#include <tridap/internal/device_halo.hpp>
#include <tridap/internal/driver.hpp>

#include <utility>

namespace tridap::redistribute {

void DeviceFaults::agree() const {
  if (on_devices) mpi::throw_faults(std::exchange(*here, {}), comm);
}

void DeviceFaults::wait_for(const Memory& memory, DeviceStream stream) const {
  if (!memory.is_on_host()) here->attempt([&] { driver::order_ours_after(memory, stream); });
}

DeviceHalo::DeviceHalo(const Buffer& buffer, std::vector<std::vector<AxisPieces>> products,
                       std::shared_ptr<mpi::Faults> faults)
    : buffer_(std::make_unique<Buffer>(buffer)), step_(std::make_unique<DeviceStep>()), faults_(std::move(faults)) {
  step_->from = step_->to = buffer.type;
  for (std::vector<AxisPieces>& axes : products) {
    Product product{std::move(axes), 1, nullptr};
    std::vector<const AxisPieces*> all;
    for (const AxisPieces& axis : product.axes) {
      all.push_back(&axis);
      product.elements *= axis.elements();
    }
    if (product.elements == 0) continue;
    product.pieces = device_engine()->pieces(all, *buffer_, *step_, *faults_);
    bytes_ += product.elements * buffer.type.bytes;
    products_.push_back(std::move(product));
  }
}

void DeviceHalo::pack(std::byte* to) {
  wait_for_legacy_stream();
  step_->copies = true;
  for (const Product& product : products_) {
    const Index bytes = product.elements * buffer_->type.bytes;
    product.pieces->pack(*buffer_, 0, bytes, {to, false});
    to += bytes;
  }
  wait();
}

void DeviceHalo::unpack(const std::byte* from) { bring(from, false); }
void DeviceHalo::add(const std::byte* from) { bring(from, true); }

void DeviceHalo::bring(const std::byte* from, bool adds) {
  wait_for_legacy_stream();
  step_->copies = !adds;
  step_->scaling.beta = adds ? 1.0 : 0.0;
  for (const Product& product : products_) {
    const Index bytes = product.elements * buffer_->type.bytes;
    product.pieces->unpack(*buffer_, 0, adds ? product.elements : bytes, {const_cast<std::byte*>(from), false});
    from += bytes;
  }
  wait();
}

// On which elements were last written or read.
void DeviceHalo::wait_for_legacy_stream() {
  if (!products_.empty()) faults_->attempt([&] { driver::synchronize(buffer_->memory, nullptr); });
}

void DeviceHalo::wait() {
  for (const Product& product : products_)
    while (!product.pieces->ended()) {
    }
}

}  // namespace tridap::redistribute
