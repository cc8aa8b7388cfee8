#pragma once

#include "node_context.hpp"
#include "transport.hpp"

namespace tridap::redistribute {

/// Carries streams between the processes of a node, through a Ring for each ordered pair of processes.
class SharedMemoryTransport : public Transport {
 public:
  explicit SharedMemoryTransport(NodeContext& context, const ElementStep& step) : context_(context), step_(step) {}

  void begin(const std::vector<Stream*>& out, const std::vector<Stream*>& in) override;
  bool progress() override;
  bool done() const override { return left_ == 0; }

 private:
  bool send(Stream& stream);
  bool receive(Stream& stream);

  NodeContext& context_;
  const ElementStep& step_;  // of the move
  std::vector<Stream*> out_, in_;
  std::size_t left_ = 0;  // streams that have not ended
};

}  // namespace tridap::redistribute
