#include <tridap/c/objects.hpp>
#include <tridap/internal/object_to_move.hpp>

#include <complex>

using namespace tridap;
using namespace tridap::c;
using redistribute::Move;
using redistribute::Redistribution;
using redistribute::Scaling;

namespace {

redistribute::Options options_of(const tridap_move_options* given, Index ndim) {
  redistribute::Options options;
  if (given == nullptr) return options;
  options.order = order_of(given->order);
  options.convert = given->convert != 0;
  options.mapping.fill_padding = given->fill_padding != 0;
  options.mapping.partial = given->partial != 0;
  if (given->axes != nullptr) options.mapping.axes = list_of(given->axes, ndim, "axes");
  return options;
}

Scaling scaling_of(const tridap_scaling* given) {
  if (given == nullptr) return {};
  return {{given->alpha[0], given->alpha[1]}, {given->beta[0], given->beta[1]}};
}

// The arrays of one move.
struct Sides {
  std::shared_ptr<PlanObject> plan;
  std::vector<std::shared_ptr<ArrayObject>> arrays;  // which hold what `moves` have
  std::vector<Move> moves;
  Scaling scaling;

  void read(std::uint64_t plan_number, int count, const tridap_array* sources, const tridap_array* targets,
            const tridap_scaling* given) {
    plan = find<PlanObject>(plan_number);
    if (count < 0) refuse("count is " + std::to_string(count), "must be at least 0", "pass the number of arrays");
    scaling = scaling_of(given);
    for (int i = 0; i < count; ++i) {
      const auto source = find<ArrayObject>(need(sources, "sources")[i].number);
      const auto target = targets == nullptr ? nullptr : find<ArrayObject>(targets[i].number);
      if (source->array.buffer.type != plan->type)
        refuse("the source's elements are " + source->array.buffer.type.text(),
               "must be " + plan->type.text() + ", as in the plan", "make a plan for elements of this type");
      need_one_communicator({plan.get(), source.get(), target.get()});
      order_after_stream(*source);
      if (target != nullptr) order_after_stream(*target);
      moves.push_back({source->array, target == nullptr ? DistArray{} : target->array});
      arrays.push_back(source);
      if (target != nullptr) arrays.push_back(target);
    }
  }
};

// Runs a moving call. A process that cannot take part objects to the move of the others.
template <class Body>
int move(const char* name, tridap_plan plan, Sides& sides, int count, const tridap_array* sources,
         const tridap_array* targets, const tridap_scaling* scaling, Body&& body) noexcept {
  Comm comm;
  if (const int status = locally([&] { comm = comm_of({plan.number}); }); status != TRIDAP_OK) return status;
  return collectively_or(
      name, comm, [&] { sides.read(plan.number, count, sources, targets, scaling); },
      [&](MPI_Comm) { body(sides.plan->plan); },
      [&](mpi::Faults why) { redistribute::object_to_move(comm->caller_or_ours(), std::move(why)); });
}

std::shared_ptr<PlanObject> plan_between(const DistributionObject& from, const DistributionObject& to,
                                         const ElementType& type, const redistribute::Options& options, MPI_Comm comm) {
  auto made =
      std::make_shared<PlanObject>(Redistribution(*from.distribution, *to.distribution, type.bytes, comm, options));
  made->type = type;
  return made;
}

}  // namespace

int tridap_plan_make(tridap_distribution from, tridap_distribution to, tridap_type type,
                     const tridap_move_options* options, tridap_plan* plan) {
  Comm comm;
  if (const int status = locally([&] { comm = comm_of({from.number, to.number}); }); status != TRIDAP_OK)
    return give<PlanObject>(status, number_in(plan), comm, nullptr);
  std::shared_ptr<DistributionObject> source, target;
  ElementType of;
  redistribute::Options chosen;
  return making_together<PlanObject>(
      "tridap_plan_make", number_in(plan), comm, {},
      [&] {
        source = find<DistributionObject>(from.number);
        target = find<DistributionObject>(to.number);
        of = element_type_of(type);
        need_one_communicator({source.get(), target.get()});
        chosen = options_of(options, target->distribution->ndim());
      },
      [&](MPI_Comm caller) {
        auto made = plan_between(*source, *target, of, chosen, caller);
        if (options != nullptr && options->convert != 0 && options->type != 0)
          made->made = element_type_of(options->type);
        return made;
      });
}

int tridap_plan_move(tridap_plan plan, tridap_array source, tridap_array target, const tridap_scaling* scaling) {
  Sides sides;
  return move("tridap_plan_move", plan, sides, 1, &source, &target, scaling,
              [&](Redistribution& moves) { moves(sides.moves[0].source, sides.moves[0].target, sides.scaling); });
}

int tridap_plan_move_all(tridap_plan plan, int count, const tridap_array* sources, const tridap_array* targets,
                         const tridap_scaling* scaling) {
  Sides sides;
  static constexpr tridap_array none{};
  return move("tridap_plan_move_all", plan, sides, count, sources, targets == nullptr ? &none : targets, scaling,
              [&](Redistribution& moves) { moves(sides.moves, sides.scaling); });
}

int tridap_plan_new(tridap_plan plan, tridap_array source, tridap_array* target) {
  Sides sides;
  std::shared_ptr<ArrayObject> made;
  std::shared_ptr<const Distribution> to;
  Comm comm;
  if (const int status = locally([&] { comm = comm_of({plan.number}); }); status != TRIDAP_OK) return status;
  const int status = collectively_or(
      "tridap_plan_new", comm,
      [&] {
        need(target, "target");
        sides.read(plan.number, 1, &source, nullptr, nullptr);
        to = std::make_shared<const Distribution>(sides.plan->plan.plan().target().distribution());
        const Index process = sides.arrays[0]->process;
        if (sides.plan->made)
          made = array_over(allocate(*sides.plan->made, IndexList(to->local_shape(process))), to, process);
      },
      [&](MPI_Comm) {
        const DistArray& from = sides.moves[0].source;
        if (made != nullptr) return sides.plan->plan(from, made->array);
        DistArray other = sides.plan->plan(from);
        other.buffer.type = from.buffer.type;  // also where no process has an element
        made = array_over(std::move(other.buffer), to, sides.arrays[0]->process);
      },
      [&](mpi::Faults why) { redistribute::object_to_move(comm->caller_or_ours(), std::move(why)); });
  if (status != TRIDAP_OK) made = nullptr;
  return give<ArrayObject>(status, number_in(target), comm, std::move(made));
}

int tridap_plan_start(tridap_plan plan, tridap_array source, tridap_array target, const tridap_scaling* scaling) {
  Sides sides;
  return move("tridap_plan_start", plan, sides, 1, &source, &target, scaling, [&](Redistribution& moves) {
    moves.start(sides.moves, sides.scaling);
    sides.plan->in_progress = std::move(sides.arrays);
  });
}

int tridap_plan_test(tridap_plan plan, int* done) {
  return locally([&] { *need(done, "done") = find<PlanObject>(plan.number)->plan.test() ? 1 : 0; });
}

int tridap_plan_wait(tridap_plan plan) {
  return locally([&] {
    const auto of = find_or_end_job<PlanObject>(plan.number, "tridap_plan_wait");
    const std::vector<std::shared_ptr<ArrayObject>> until_the_end = std::move(of->in_progress);
    of->in_progress.clear();
    of->plan.wait();
  });
}

int tridap_plan_reversed(tridap_plan plan, tridap_plan* back) {
  Comm comm;
  if (const int status = locally([&] { comm = comm_of({plan.number}); }); status != TRIDAP_OK)
    return give<PlanObject>(status, number_in(back), comm, nullptr);
  std::shared_ptr<PlanObject> there;
  return making_together<PlanObject>(
      "tridap_plan_reversed", number_in(back), comm, {}, [&] { there = find<PlanObject>(plan.number); },
      [&](MPI_Comm) {
        auto made = std::make_shared<PlanObject>(there->plan.reversed());
        made->type = there->made.value_or(there->type);
        return made;
      });
}

int tridap_plan_bytes(tridap_plan plan, int64_t* sent, int64_t* received, int64_t* kept) {
  return locally([&] {
    const auto of = find<PlanObject>(plan.number);
    const redistribute::Plan& found = of->plan.plan();
    if (sent != nullptr) *sent = found.bytes_sent();
    if (received != nullptr) *received = found.bytes_received();
    if (kept != nullptr) *kept = found.bytes_kept();
  });
}

int tridap_plan_explain(tridap_plan plan, char* text, size_t size, size_t* length) {
  return locally([&] { write_text(find<PlanObject>(plan.number)->plan.explain(), text, size, length); });
}

int tridap_redistribute(tridap_array source, tridap_distribution to, const tridap_move_options* options,
                        tridap_array* target) {
  Comm comm;
  if (const int status = locally([&] { comm = comm_of({source.number, to.number}); }); status != TRIDAP_OK)
    return give<ArrayObject>(status, number_in(target), comm, nullptr);
  std::shared_ptr<ArrayObject> from;
  std::shared_ptr<DistributionObject> over;
  redistribute::Options chosen;
  return making_together<ArrayObject>(
      "tridap_redistribute", number_in(target), comm, {},
      [&] {
        from = find<ArrayObject>(source.number);
        over = find<DistributionObject>(to.number);
        need_one_communicator({from.get(), over.get()});
        order_after_stream(*from);
        chosen = options_of(options, over->distribution->ndim());
      },
      [&](MPI_Comm caller) {
        const ElementType& type = from->array.buffer.type;
        Redistribution moves(*from->distribution, *over->distribution, type.bytes, caller, chosen);
        DistArray array = moves(from->array);
        array.buffer.type = type;
        return array_over(std::move(array.buffer), over->distribution, from->process);
      });
}

int tridap_redistribute_into(tridap_array source, tridap_array target, const tridap_move_options* options,
                             const tridap_scaling* scaling) {
  Comm comm;
  if (const int status = locally([&] { comm = comm_of({source.number, target.number}); }); status != TRIDAP_OK)
    return status;
  std::shared_ptr<ArrayObject> from, to;
  redistribute::Options chosen;
  return collectively(
      "tridap_redistribute_into", comm, {},
      [&] {
        from = find<ArrayObject>(source.number);
        to = find<ArrayObject>(target.number);
        need_one_communicator({from.get(), to.get()});
        order_after_stream(*from);
        order_after_stream(*to);
        chosen = options_of(options, to->distribution->ndim());
      },
      [&](MPI_Comm caller) {
        Redistribution moves(*from->distribution, *to->distribution, from->array.buffer.type.bytes, caller, chosen);
        moves(from->array, to->array, scaling_of(scaling));
      });
}
