#include "sql/execution/driver.h"

#include <algorithm>
#include <atomic>
#include <chrono>

#include "common/check.h"
#include "common/thread/thread_pool.h"
#include "runtime/function/progress.h"

namespace pelorus {

namespace {

constexpr size_t kMorselsAhead = 2;  // whose bytes the system prefetches

int64_t nanosSince(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin).count();
}

// What the thread of a morsel measured.
struct MorselTimes {
    int64_t sinkNanos = 0;  // without what the batches read there
    int64_t passedRows = 0;
};

// A consumer in front of an operator of a pipeline, or of its sink where none is left.
class Step final : public Consumer {
public:
    // `times`: null where nothing is measured.
    Step(const Pipeline& pipeline, size_t number, MorselTimes* times)
        : pipeline_(pipeline), number_(number), times_(times) {}

    // Whether all that follow want the batch, the sink first: it may know bounds that no condition has.
    bool wants(const Batch& batch) override {
        return pipeline_.sink.wants(batch) &&
               std::all_of(pipeline_.operators.begin() + static_cast<std::ptrdiff_t>(number_),
                           pipeline_.operators.end(), [&](BatchOperator* o) { return o->wants(batch); });
    }
    bool push(Batch& batch, Context& worker) override {
        CHECK(batch.rows() > 0) << "a batch has rows";
        if (number_ == pipeline_.operators.size())
            return times_ ? measured(batch, worker) : pipeline_.sink.push(batch, worker);
        Step next(pipeline_, number_ + 1, times_);
        return pipeline_.operators[number_]->push(batch, worker, next);
    }

private:
    bool measured(Batch& batch, Context& worker) {
        times_->passedRows += batch.rows();
        const int64_t readBefore = batch.readNanos();
        const auto begin = std::chrono::steady_clock::now();
        const bool wantsMore = pipeline_.sink.push(batch, worker);
        times_->sinkNanos += nanosSince(begin) - (batch.readNanos() - readBefore);
        return wantsMore;
    }

    const Pipeline& pipeline_;
    const size_t number_;
    MorselTimes* const times_;
};

// The consumer at the head of a pipeline, which the source of a morsel meets.
class Head final : public Consumer {
public:
    Head(const Pipeline& pipeline, Context& worker, ScanProfile* profile)
        : first_(pipeline, 0, profile ? &times_ : nullptr), worker_(worker), profile_(profile) {}

    bool wants(const Batch& batch) override {
        worker_.checkCancelled();
        const bool isWanted = first_.wants(batch);
        if (profile_ && !isWanted) ++profile_->skippedBlocks;
        return isWanted;
    }
    bool push(Batch& batch, Context& worker) override {
        if (!profile_) return first_.push(batch, worker);
        const int64_t rows = batch.rows();
        batch.measure(*profile_);
        const bool wantsMore = first_.push(batch, worker);
        const bool isExcluded = batch.rows() == 0 && !batch.isRead();
        ++(isExcluded ? profile_->skippedBlocks : profile_->blocks);
        if (!isExcluded) profile_->readRows += rows;
        return wantsMore;
    }
    const MorselTimes& times() const { return times_; }

private:
    MorselTimes times_;
    Step first_;
    Context& worker_;
    ScanProfile* const profile_;
};

// The time of a pipeline by the wall clock, of which the scan takes the share that it has in that of all threads.
class PipelineTimer {
public:
    explicit PipelineTimer(ScanProfile* profile) : profile_(profile) {}

    void add(const MorselTimes& morsel, int64_t nanos) {
        profile_->passedRows += morsel.passedRows;
        all_ += nanos;
        scan_ += nanos - morsel.sinkNanos;
    }
    void end() {
        if (!profile_ || all_ == 0) return;
        const double share = static_cast<double>(scan_) / static_cast<double>(all_);
        profile_->nanos += static_cast<int64_t>(share * static_cast<double>(nanosSince(begin_)));
    }

private:
    ScanProfile* const profile_;
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::atomic<int64_t> all_{0}, scan_{0};
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
    ScanProfile* const profile = source.profile();
    PipelineTimer timer(profile);
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
        const auto begin = profile ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
        Head head(pipeline, worker, profile);
        source.read(morsel, worker, head);
        if (profile) timer.add(head.times(), nanosSince(begin));
        for (BatchOperator* o : pipeline.operators) o->close(morsel);
        pipeline.sink.close(morsel);
        if (isWatched) progress.add(source.rows(morsel));
    };
    if (morsels == 1) {
        one(0);
    } else {
        parallelFor(static_cast<int64_t>(morsels), one);
    }
    timer.end();
}

}  // namespace pelorus
