#include "sql/operators/aggregate/by_key.h"

#include <algorithm>
#include <array>

#include "common/check.h"
#include "common/thread/once.h"
#include "common/thread/thread_pool.h"
#include "interpreter/expression/expression_program.h"
#include "runtime/code/same_code.h"
#include "sql/execution/driver.h"
#include "sql/keys/key_hash.h"
#include "sql/keys/key_ranges.h"
#include "sql/operators/aggregate/group_builder.h"
#include "sql/operators/scan/filter.h"
#include "sql/operators/scan/table_scan.h"
#include "sql/plan/aggregate_plan.h"
#include "sql/spill/held_bytes.h"

namespace pelorus {

namespace {

constexpr size_t kMinMorsels = 2;
// Min number of passing rows of a block: below, a sample says nothing.
constexpr int64_t kMinSample = 4096;
// Keys of so few bits are looked up directly, and so many states still come quickly from the shared cache.
constexpr int kFewBits = 18;

// Whether values can be moved unchanged. Strings stay in the arena of the block that they come from.
bool isMovable(Type type) {
    const Storage s = storageOf(type);
    return !isDecimal(type) && s != Storage::Boxed && s != Storage::None && !isArrayType(type);
}

Type typeOf(const ExpressionProgram& e) {
    return e.isElementwise() ? e.resultType() : Type::Any;
}

// Expressions that rows are reduced to: keys first, then the arguments of the aggregates, each expression once.
struct ReadExpressions {
    std::vector<const ExpressionProgram*> all;
    std::vector<std::vector<size_t>> argumentsOf;  // per aggregate, places in `all`
};

ReadExpressions readExpressions(const std::vector<ExpressionProgram>& keys, const AggregatePlan& aggregates) {
    ReadExpressions read;
    for (const ExpressionProgram& k : keys) read.all.push_back(&k);
    for (const AggregateCall& call : aggregates.calls) {
        read.argumentsOf.emplace_back();
        for (const ExpressionProgram& a : call.arguments) {
            const auto known = std::find_if(read.all.begin(), read.all.end(), [&](const ExpressionProgram* e) {
                return isSameCode(e->code(), a.code());
            });
            read.argumentsOf.back().push_back(static_cast<size_t>(known - read.all.begin()));
            if (known == read.all.end()) read.all.push_back(&a);
        }
    }
    return read;
}

// Rows of one morsel that pass, by hash or range partition of the keys: the values of the expressions, then the digests
// of each key.
class MorselParts {
public:
    // Adds one of `blockCount` blocks.
    void add(Batch& rows, const ReadExpressions& read, size_t keyCount, const KeyRanges* ranges, int64_t blockCount,
             Context& context) {
        const int64_t n = rows.rows();
        values_.clear();
        for (const ExpressionProgram* e : read.all) values_.push_back(rows.evaluate(*e, context));
        for (size_t k = 0; k < keyCount; ++k) values_.push_back(digestsOf(values_[k]));
        findParts(std::span(values_).first(keyCount), std::span(values_).last(keyCount), n, ranges);
        std::array<int32_t, kKeyParts + 1> begin{};
        for (const uint8_t part : parts_) ++begin[part + 1];
        for (size_t p = 0; p < kKeyParts; ++p) begin[p + 1] += begin[p];
        CHECK(begin[kKeyParts] == n) << "each row of a block goes to one part";
        order_.resize(static_cast<size_t>(n));
        std::array<int32_t, kKeyParts + 1> next = begin;
        for (int64_t i = 0; i < n; ++i)
            order_[static_cast<size_t>(next[parts_[static_cast<size_t>(i)]]++)] = static_cast<int32_t>(i);
        if (columns_.empty()) columns_.resize(kKeyParts * values_.size());
        for (size_t c = 0; c < values_.size(); ++c) {
            const Value& value = values_[c];
            const Ref<Vector> sorted = value.isScalar() ? Ref<Vector>() : value.vector().gather(order_.data(), n);
            for (size_t p = 0; p < kKeyParts; ++p) {
                Value& part = columns_[p * values_.size() + c];
                if (!sorted) {
                    part = value;
                    continue;
                }
                // Reserves memory for the partitions of all blocks, if they are like this one, and a little more: sizes
                // differ.
                const int64_t expected = n * blockCount / static_cast<int64_t>(kKeyParts);
                if (!part.isVector()) {
                    part = Value::of(sorted->slice(0, 0));
                    part.vector().reserve(expected + expected / 16 + 1);
                }
                part.vector().append(*sorted, begin[p], begin[p + 1] - begin[p]);
            }
        }
        for (size_t p = 0; p < kKeyParts; ++p) rows_[p] += begin[p + 1] - begin[p];
    }

    int64_t rows(size_t part) const { return rows_[part]; }
    // Moves out the values of the rows of a partition.
    std::vector<Value> takeValues(size_t part) {
        CHECK(part < kKeyParts) << "parts are numbered below their count";
        const size_t width = columns_.size() / kKeyParts;
        const auto begin = columns_.begin() + static_cast<std::ptrdiff_t>(part * width);
        std::vector<Value> values(std::make_move_iterator(begin),
                                  std::make_move_iterator(begin + static_cast<std::ptrdiff_t>(width)));
        if (onDisk_[part] < 0) return values;
        for (size_t i = 0; i < vectors_.size(); ++i)
            values[vectors_[i]] = Value::of((*files_)[part]->read(onDisk_[part], static_cast<int>(i)));
        return values;
    }
    // Called after the last block.
    void close() {
        values_ = {};
        hashes_ = {};
        parts_ = {};
        order_ = {};
        bytes_ = heldBytes(columns_);
    }

    int64_t memoryBytes() const { return bytes_; }
    // Returns a part's share of the memory, approximately; the shares add up to all of it.
    int64_t memoryBytes(size_t part) const {
        const auto p = static_cast<int64_t>(part), parts = static_cast<int64_t>(kKeyParts);
        return bytes_ * (p + 1) / parts - bytes_ * p / parts;
    }
    bool isSpilled() const { return files_ != nullptr; }

    // Spills to one file for each partition, from which takeValues reads.
    void spill(const std::vector<std::unique_ptr<SpillFile>>& files, size_t keyCount) {
        files_ = &files;
        const size_t width = columns_.size() / kKeyParts;
        for (size_t c = 0; c < width; ++c) {
            const bool isDigests = c >= width - keyCount;  // the keys imply them
            if (columns_[c].isTypedVector() && !isDigests) vectors_.push_back(c);
        }
        for (size_t p = 0; p < kKeyParts; ++p) {
            auto table = makeRef<MemoryTable>();
            for (const size_t c : vectors_) table->setColumn(std::to_string(c), std::move(columns_[p * width + c]));
            if (rows_[p] > 0 && !vectors_.empty()) onDisk_[p] = files[p]->append(*table);
            for (size_t c = width - keyCount; c < width; ++c) columns_[p * width + c] = Value();
        }
    }

private:
    void findParts(std::span<const Value> keys, std::span<const Value> digests, int64_t rows, const KeyRanges* ranges) {
        parts_.resize(static_cast<size_t>(rows));
        if (ranges) return ranges->find(keys, rows, parts_.data());
        hashes_.assign(static_cast<size_t>(rows), 0);
        for (size_t k = 0; k < keys.size(); ++k) {
            if (digests[k].isVector()) {
                mixDigests(digests[k], hashes_.data());
            } else {
                mixKey(keys[k], rows, hashes_.data());
            }
        }
        std::transform(hashes_.begin(), hashes_.end(), parts_.begin(),
                       [](uint64_t hash) { return static_cast<uint8_t>(memoryPartOf(hash)); });
    }

    std::vector<Value> columns_;   // of each part, one per expression: a scalar, or a vector unless it is on disk
    std::vector<size_t> vectors_;  // then: which of a part's are
    std::array<int64_t, kKeyParts> rows_{};
    int64_t bytes_ = 0;
    const std::vector<std::unique_ptr<SpillFile>>* files_ = nullptr;
    std::array<int, kKeyParts> onDisk_ = [] {
        std::array<int, kKeyParts> none{};
        none.fill(-1);
        return none;
    }();
    std::vector<Value> values_;
    std::vector<uint64_t> hashes_;
    std::vector<uint8_t> parts_;
    std::vector<int32_t> order_;
};

// Cuts the rows of each morsel by their keys, and spills them where the grant does not cover them.
class KeyPartsSink final : public Sink {
public:
    // All outlive the sink. `folder`: null keeps all in memory.
    KeyPartsSink(const TableScan& scan, const ReadExpressions& read, size_t keyCount, const KeyRanges* ranges,
                 memory::Grant& grant, const SpillFolder* folder)
        : scan_(scan), read_(read), keyCount_(keyCount), ranges_(ranges), grant_(grant), folder_(folder) {}

    void open(size_t morsels) override { morsels_.resize(morsels); }
    bool push(Batch& batch, Context& worker) override {
        const int64_t blocksLeft = scan_.morsel(batch.morsel()).endBlock - batch.block();
        morsels_[batch.morsel()].add(batch, read_, keyCount_, ranges_, blocksLeft, worker);
        return true;
    }
    void close(size_t morsel) override {
        MorselParts& own = morsels_[morsel];
        own.close();
        const int64_t bytes = own.memoryBytes();
        if (grant_.hold(bytes) || !folder_) return;
        filesAreMade_.call([&] {
            files_.clear();
            for (size_t p = 0; p < kKeyParts; ++p) files_.push_back(std::make_unique<SpillFile>(*folder_));
        });
        own.spill(files_, keyCount_);
        grant_.hold(-bytes);
    }

    int64_t spilledBytes() const {
        int64_t bytes = 0;
        for (const auto& file : files_) bytes += file->sizeBytes();
        return bytes;
    }
    // Those that were spilled read from this object.
    std::vector<MorselParts>& morsels() { return morsels_; }

private:
    const TableScan& scan_;
    const ReadExpressions& read_;
    const size_t keyCount_;
    const KeyRanges* const ranges_;
    memory::Grant& grant_;
    const SpillFolder* const folder_;
    Once filesAreMade_;
    std::vector<std::unique_ptr<SpillFile>> files_;  // one for each part
    std::vector<MorselParts> morsels_;               // each of its own thread
};

}  // namespace

bool prefersKeyParts(std::span<const Morsel> morsels, const std::vector<ExpressionProgram>& keys,
                     const AggregatePlan& aggregates, Filter& filter, Context& context) {
    if (morsels.size() < kMinMorsels || keys.empty()) return false;
    for (const ExpressionProgram& k : keys) {
        if (!isMovable(keyType(k))) return false;
    }
    for (const AggregateCall& call : aggregates.calls) {
        for (const ExpressionProgram& a : call.arguments) {
            if (!a.isConstant() && !isMovable(typeOf(a))) return false;
        }
    }
    // A block from the middle decides: many groups, and not in order.
    const Morsel& middle = morsels[morsels.size() / 2];
    Batch rows(*middle.reader, middle.firstBlock);
    filter.select(rows, context);
    if (rows.rows() < kMinSample) return false;
    std::vector<Value> values;
    for (const ExpressionProgram& k : keys) values.push_back(rows.evaluate(k, context));
    GroupTable sample(keyTypes(keys), KeyLookup::Hashed);
    std::vector<int32_t> numbers(static_cast<size_t>(rows.rows()));
    sample.assign(values, rows.rows(), numbers.data());
    return sample.size() * 2 > rows.rows() && !sample.sawAscending() && sample.keyBits() > kFewBits;
}

std::optional<KeyRanges> keyRangesOf(std::span<const Morsel> morsels, const std::vector<ExpressionProgram>& keys,
                                     Filter& filter, Context& context, size_t blocks) {
    // Adjacent rows may have neighbouring keys: the sample comes from all over the partition.
    const int64_t rowsOfBlock = std::max<int64_t>(256, 8192 / static_cast<int64_t>(blocks));
    std::vector<Value> sample(keys.size());
    int64_t count = 0;
    for (size_t b = 0; b < blocks; ++b) {
        const Morsel& morsel = morsels[b * morsels.size() / blocks];
        Batch rows(*morsel.reader, morsel.firstBlock);
        filter.select(rows, context);
        const int64_t step = std::max<int64_t>(1, rows.rows() / rowsOfBlock);
        std::vector<int32_t> chosen;
        for (int64_t row = step / 2; row < rows.rows(); row += step) chosen.push_back(static_cast<int32_t>(row));
        count += static_cast<int64_t>(chosen.size());
        for (size_t k = 0; k < keys.size(); ++k) {
            const Value items = rows.evaluate(keys[k], context);
            if (items.isScalar()) {
                sample[k] = items;
                continue;
            }
            const Ref<Vector> some = items.vector().gather(chosen.data(), static_cast<int64_t>(chosen.size()));
            if (sample[k].isVector()) {
                sample[k].vector().append(*some, 0, some->size());
            } else {
                sample[k] = Value::of(some);
            }
        }
    }
    static_assert(KeyRanges::kMax <= kKeyParts);
    return KeyRanges::ofSample(sample, count);
}

void groupByKeyParts(std::span<const Morsel> partition, const std::vector<ExpressionProgram>& keys,
                     const AggregatePlan& aggregates, Filter& filter, const KeyRanges* ranges, memory::Grant& grant,
                     const TakePart& take, Context& context) {
    const ReadExpressions read = readExpressions(keys, aggregates);
    const std::vector<Type> types = keyTypes(keys);
    const TableScan scan({partition.begin(), partition.end()}, readColumns(filter, read.all, context));
    KeyPartsSink sink(scan, read, keys.size(), ranges, grant, spillFolderOf(context));
    run({scan, {&filter}, sink}, context);
    if (ScanProfile* profile = scan.profile()) profile->spilledBytes += sink.spilledBytes();
    std::vector<MorselParts>& scanned = sink.morsels();
    parallelFor(static_cast<int64_t>(kKeyParts), [&](int64_t part) {
        const auto p = static_cast<size_t>(part);
        context.checkCancelled();
        GroupBuilder builder(types, aggregates, KeyLookup::Hashed);
        int64_t rows = 0;
        for (const MorselParts& morsel : scanned) rows += morsel.rows(p);
        builder.expect(rows);
        for (MorselParts& morsel : scanned) {
            const int64_t n = morsel.rows(p);
            if (!morsel.isSpilled()) grant.hold(-morsel.memoryBytes(p));
            const std::vector<Value> values = morsel.takeValues(p);
            if (n == 0) continue;
            const std::span<const Value> all(values);
            const int32_t* numbers = builder.number(all.first(keys.size()), n, all.last(keys.size()));
            for (size_t i = 0; i < aggregates.calls.size(); ++i) {
                std::vector<Value> arguments;
                for (size_t a : read.argumentsOf[i]) arguments.push_back(values[a]);
                builder.state(i).add(arguments, numbers, n);
            }
        }
        take(p, builder.finish());
    });
}

}  // namespace pelorus
