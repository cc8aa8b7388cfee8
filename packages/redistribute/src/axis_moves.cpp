#include <tridap/internal/axis_moves.hpp>

#include <algorithm>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>

namespace tridap::redistribute {

namespace {

// `here` is the coordinate's own side, `there` the other one.
struct Walker {
  const Axis& here;
  Index at = 0;
  Part here_part = Part::owned;
  const Axis& there;
  Part there_part = Part::owned;
  AxisMoves found = {};

  static Range held(const BlockKind& block, Index c, Part part) {  // global
    const Range local = block.part(c, part);
    const Index first = block.first_held(c);
    return {first + local.begin, first + local.end};
  }

  // Calls visit(global, local, length) for our runs within [first, end).
  template <class Visit>
  void runs(Index first, Index end, Visit&& visit) const {
    if (const auto* block = here.block()) {
      const Range range = held(*block, at, here_part);
      first = std::max(first, range.begin);
      end = std::min(end, range.end);
      if (first < end) visit(first, first - block->first_held(at), end - first);
      return;
    }
    const auto& cyclic = *here.cyclic();
    const Index length = cyclic.block_size(), grid = cyclic.grid(), turn = cyclic.turn(at);
    end = std::min(end, cyclic.size());
    Index block = first / length;  // the first of ours that ends behind `first`
    const std::optional<Index> next = checked_add(block, ((turn - block % grid) + grid) % grid);
    if (!next || first >= end) return;
    const Index last = (end - 1) / length;
    for (block = *next; block <= last; block += grid) {
      const Index begin = std::max(first, block * length);
      const Index stop = end - block * length < length ? end : (block + 1) * length;
      visit(begin, (block / grid) * length + begin - block * length, stop - begin);
      if (last - block < grid) return;  // the next block may not fit 64 bits
    }
  }

  // The pieces of our runs within [first, end): `there` is cyclic, or the block of coordinate `peer`.
  std::vector<Piece> pieces(Index first, Index end, Index peer) const {
    std::vector<Piece> all;
    if (const auto* block = there.block()) {
      const Index origin = block->first_held(peer);
      runs(first, end, [&](Index global, Index local, Index length) {
        add_piece(all, {local, global - origin, length, peer});
      });
      return all;
    }
    const auto& cyclic = *there.cyclic();
    const Index block_size = cyclic.block_size(), grid = cyclic.grid(), wrap = grid - cyclic.first();
    runs(first, end, [&](Index global, Index local, Index length) {
      Index block = global / block_size, round = block / grid, turn = block - round * grid;
      Index inside = global - block * block_size;
      while (length > 0) {
        const Index piece = std::min(length, block_size - inside);
        add_piece(all, {local, round * block_size + inside, piece, turn < wrap ? turn + cyclic.first() : turn - wrap});
        local += piece;
        length -= piece;
        inside = 0;
        if (++turn == grid) turn = 0, ++round;
      }
    });
    return all;
  }

  static Index period(const Axis& axis) {  // of a cyclic axis, in elements; 1: the axis is not cyclic
    const auto* cyclic = axis.cyclic();
    if (cyclic == nullptr) return 1;
    return checked_multiply(cyclic->block_size(), cyclic->grid()).value_or(cyclic->size());
  }
  static Index advance(const Axis& axis, Index period) {
    return axis.dist_type() == 'c' ? period / axis.proc_grid_size() : period;
  }

  // All of ours within [first, end), if the other side is cyclic, or one block of it.
  void sweep(Index first, Index end, Index peer) {
    if (first >= end) return;
    const Index a = period(here), b = period(there);
    const std::optional<Index> both = checked_multiply(a / std::gcd(a, b), b);
    Index repeat = 0;
    if (both && *both > 1 && (end - first) / *both >= 2) {
      repeat = (end - first) / *both;
      keep({repeat, advance(here, *both), advance(there, *both), pieces(first, first + *both, peer)});
      first += repeat * *both;
    }
    if (first < end) keep({1, 0, 0, pieces(first, end, peer)});
  }
  void keep(Section section) {
    if (!section.pieces.empty()) found.sections.push_back(std::move(section));
  }

  Range span() const {  // global indices that we may hold
    if (const auto* block = here.block()) return held(*block, at, here_part);
    return {0, here.size()};
  }

  void block_or_cyclic() {
    const Range ours = span();
    if (there.dist_type() == 'c') {
      sweep(ours.begin, std::min(ours.end, there.size()), 0);
    } else {
      each_block(ours);
    }
    const Index theirs = there.size();  // where sizes differ: the first of ours beyond
    if (ours.end > theirs) runs(theirs, ours.end, [&](Index global, Index, Index) { note_missing(global); });
  }

  void each_block(const Range& ours) {
    const auto& block = *there.block();
    if (ours.begin >= std::min(ours.end, block.size())) return;
    const auto theirs = [&](Index c) { return held(block, c, there_part); };
    Index peer = block.locate(ours.begin)->coordinate;
    while (peer > 0 && theirs(peer - 1).end > ours.begin) --peer;  // where its padding reaches
    for (; peer < block.grid() && theirs(peer).begin < ours.end; ++peer) {
      const Range both = {std::max(ours.begin, theirs(peer).begin), std::min(ours.end, theirs(peer).end)};
      sweep(both.begin, both.end, peer);
    }
  }

  // Calls visit(coordinate, local) for all places of an index on the other side.
  template <class Visit>
  bool places(Index global, bool all, Visit&& visit) const {
    if (const auto* lists = there.unstructured(); lists != nullptr && all && there.shares_indices()) {
      const auto [begin, end] = lists->entries(global);
      for (auto entry = begin; entry != end; ++entry) visit(entry->place.coordinate, entry->place.local);
      return begin != end;
    }
    const std::optional<Location> place = there.locate(global);
    if (!place) return false;
    const auto* block = there.block();
    if (block == nullptr || there_part != Part::local) {
      visit(place->coordinate, place->local);
      return true;
    }
    Index c = place->coordinate;
    while (c > 0 && held(*block, c - 1, there_part).end > global) --c;
    for (; c < block->grid() && held(*block, c, there_part).begin <= global; ++c)
      if (held(*block, c, there_part).contains(global)) visit(c, global - block->first_held(c));
    return true;
  }

  // `all`: we are the source, and every place of the target gets a copy; else the one owner of the source is asked.
  void listed(bool all) {
    std::vector<Piece> pieces;
    pieces.reserve(static_cast<std::size_t>(here.part(at, here_part).size()));  // untouched, if runs are joined
    const bool shared = all && here.shares_indices();
    here.for_each(at, here_part, [&](Index local, Index global) {
      if (shared && here.locate(global)->coordinate != at) return;  // another one sends it
      if (!places(global, all, [&](Index c, Index there_local) { add_piece(pieces, {local, there_local, 1, c}); }))
        note_missing(global);
    });
    if (!all) sort_by(&Piece::there, pieces);  // indices of block and cyclic axes ascend on both sides
    found = moves_of(std::move(pieces), found.missing);
  }
  void note_missing(Index global) {
    if (!found.missing) found.missing = global;
  }

  void count() {
    std::vector<Share> all;
    for (const Section& section : found.sections)
      for (const Piece& piece : section.pieces) all.push_back({piece.peer, piece.length * section.repeat});
    std::sort(all.begin(), all.end(), [](const Share& a, const Share& b) { return a.peer < b.peer; });
    for (const Share& share : all) {
      if (found.shares.empty() || found.shares.back().peer != share.peer) found.shares.push_back({share.peer, 0});
      found.shares.back().count += share.count;
    }
  }
};

AxisMoves moves(Walker walker, bool from_source) {
  if (walker.here.dist_type() == 'u' || walker.there.dist_type() == 'u') {
    walker.listed(from_source);
  } else {
    walker.block_or_cyclic();
    walker.count();
  }
  return std::move(walker.found);
}

}  // namespace

std::size_t AxisMoves::slot(Index peer) const {
  const auto share = std::lower_bound(shares.begin(), shares.end(), peer,
                                      [](const Share& one, Index wanted) { return one.peer < wanted; });
  return static_cast<std::size_t>(share - shares.begin());
}

Index AxisMoves::count(Index peer) const {
  const std::size_t k = slot(peer);
  return k < shares.size() && shares[k].peer == peer ? shares[k].count : 0;
}

void add_piece(std::vector<Piece>& pieces, const Piece& piece) {
  if (!pieces.empty()) {
    Piece& last = pieces.back();
    if (last.peer == piece.peer && last.here + last.length == piece.here && last.there + last.length == piece.there) {
      last.length += piece.length;
      return;
    }
  }
  pieces.push_back(piece);
}

AxisMoves moves_of(std::vector<Piece> pieces, std::optional<Index> missing) {
  AxisMoves all;
  all.missing = missing;
  if (pieces.size() < pieces.capacity()) pieces.shrink_to_fit();
  std::unordered_map<Index, Index> counts;
  for (const Piece& piece : pieces) counts[piece.peer] += piece.length;
  for (const auto& [peer, count] : counts) all.shares.push_back({peer, count});
  std::sort(all.shares.begin(), all.shares.end(), [](const Share& a, const Share& b) { return a.peer < b.peer; });
  if (!pieces.empty()) all.sections.push_back({1, 0, 0, std::move(pieces)});
  return all;
}

void sort_by(Index Piece::*end, std::vector<Piece>& pieces) {
  const auto before = [end](const Piece& a, const Piece& b) { return a.*end < b.*end; };
  if (!std::is_sorted(pieces.begin(), pieces.end(), before)) std::stable_sort(pieces.begin(), pieces.end(), before);
}

AxisMoves moves_from(const Axis& source, Index s, const Axis& target, Part part) {
  return moves({source, s, Part::owned, target, part}, true);
}

AxisMoves moves_to(const Axis& source, const Axis& target, Index t, Part part) {
  return moves({target, t, part, source, Part::owned}, false);
}

}  // namespace tridap::redistribute
