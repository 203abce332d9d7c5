#include "sql/execution/driver.h"

#include <algorithm>

#include "common/check.h"
#include "common/thread/thread_pool.h"
#include "runtime/function/progress.h"

namespace pelorus {

namespace {

constexpr size_t kMorselsAhead = 2;  // whose bytes the system prefetches

// A consumer in front of an operator of a pipeline, or of its sink where none is left.
class Step final : public Consumer {
public:
    Step(const Pipeline& pipeline, size_t number) : pipeline_(pipeline), number_(number) {}

    // Whether all that follow want the batch, the sink first: it may know bounds that no condition has.
    bool wants(const Batch& batch) override {
        return pipeline_.sink.wants(batch) &&
               std::all_of(pipeline_.operators.begin() + static_cast<std::ptrdiff_t>(number_),
                           pipeline_.operators.end(), [&](BatchOperator* o) { return o->wants(batch); });
    }
    bool push(Batch& batch, Context& worker) override {
        CHECK(batch.rows() > 0) << "a batch has rows";
        if (number_ == pipeline_.operators.size()) return pipeline_.sink.push(batch, worker);
        Step next(pipeline_, number_ + 1);
        return pipeline_.operators[number_]->push(batch, worker, next);
    }

private:
    const Pipeline& pipeline_;
    const size_t number_;
};

// The consumer at the head of a pipeline, which the source of a morsel meets.
class Head final : public Consumer {
public:
    Head(const Pipeline& pipeline, Context& worker) : first_(pipeline, 0), worker_(worker) {}

    bool wants(const Batch& batch) override {
        worker_.checkCancelled();
        return first_.wants(batch);
    }
    bool push(Batch& batch, Context& worker) override { return first_.push(batch, worker); }

private:
    Step first_;
    Context& worker_;
};

int64_t rowsOf(const Source& source) {
    int64_t rows = 0;
    for (size_t m = 0; m < source.morsels(); ++m) rows += source.rows(m);
    return rows;
}

}  // namespace

void run(const Pipeline& pipeline, Context& context) {
    const Source& source = pipeline.source;
    const size_t morsels = source.morsels();
    for (BatchOperator* o : pipeline.operators) o->open(morsels);
    pipeline.sink.open(morsels);
    const bool isWatched = context.request->progress != nullptr;
    ProgressPhase progress(context.request->progress, "query", ProgressUnit::Rows, isWatched ? rowsOf(source) : 0);
    const auto announce = [&](size_t morsel) {
        if (morsel < morsels) source.announce(morsel);
    };
    const auto one = [&](int64_t number) {
        const auto morsel = static_cast<size_t>(number);
        Context worker = context;
        worker.callDepth = 0;
        worker.checkCancelled();
        announce(morsel);
        announce(morsel + kMorselsAhead);
        Head head(pipeline, worker);
        source.read(morsel, worker, head);
        for (BatchOperator* o : pipeline.operators) o->close(morsel);
        pipeline.sink.close(morsel);
        if (isWatched) progress.add(source.rows(morsel));
    };
    if (morsels == 1) return one(0);
    parallelFor(static_cast<int64_t>(morsels), one);
}

}  // namespace pelorus
