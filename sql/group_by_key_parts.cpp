// Group by with many groups: rows are brought together by their keys before they are added. See grouping.h.
#include <algorithm>
#include <array>

#include "common/thread_pool.h"
#include "runtime/code/to_source.h"
#include "sql/grouping.h"
#include "sql/key_hash.h"

namespace pelorus {

namespace {

constexpr size_t kLeastMorsels = 4;
// Of the rows of a block that pass: below, a sample says nothing.
constexpr int64_t kLeastSample = 4096;
// Keys of so few bits are looked up directly, and so many states still come quickly from the shared cache.
constexpr int kFewBits = 18;

// Items that are moved as they are. Texts stay in the arena of the block that they come from.
bool isMovable(Type type) {
    const Storage s = storageOf(type);
    return !isDecimal(type) && s != Storage::Boxed && s != Storage::None && !isArrayType(type);
}

Type typeOf(const ColumnExpression& e) {
    return e.isElementwise() ? e.resultType() : Type::Any;
}

// The expressions that rows are reduced to: keys first, then the arguments of the aggregates, each text once.
struct ReadExpressions {
    std::vector<const ColumnExpression*> all;
    std::vector<std::vector<size_t>> argumentsOf;  // per aggregate, places in `all`
};

ReadExpressions readExpressions(const std::vector<ColumnExpression>& keys, const AggregatePlan& aggregates) {
    ReadExpressions read;
    std::vector<std::string> texts;
    for (const ColumnExpression& k : keys) {
        read.all.push_back(&k);
        texts.push_back(toSource(*k.node()));
    }
    for (const AggregateCall& call : aggregates.calls) {
        read.argumentsOf.emplace_back();
        for (const ColumnExpression& a : call.arguments) {
            const std::string text = toSource(*a.node());
            const auto known = std::find(texts.begin(), texts.end(), text);
            read.argumentsOf.back().push_back(static_cast<size_t>(known - texts.begin()));
            if (known != texts.end()) continue;
            texts.push_back(text);
            read.all.push_back(&a);
        }
    }
    return read;
}

// The rows of one morsel that pass, as values of the expressions, by parts of the keys.
class MorselParts {
public:
    // One of `blockCount` blocks.
    void add(BlockRows& rows, const ReadExpressions& read, size_t keyCount, int64_t blockCount, Context& context) {
        const int64_t n = rows.rows();
        values_.clear();
        for (const ColumnExpression* e : read.all) values_.push_back(rows.evaluate(*e, context));
        hashes_.assign(static_cast<size_t>(n), 0);
        for (size_t k = 0; k < keyCount; ++k) mixKey(values_[k], n, hashes_.data());
        std::array<int32_t, kKeyParts + 1> begin{};
        for (uint64_t h : hashes_) ++begin[memoryPartOf(h) + 1];
        for (size_t p = 0; p < kKeyParts; ++p) begin[p + 1] += begin[p];
        order_.resize(static_cast<size_t>(n));
        std::array<int32_t, kKeyParts + 1> next = begin;
        for (int64_t i = 0; i < n; ++i) {
            order_[static_cast<size_t>(next[memoryPartOf(hashes_[static_cast<size_t>(i)])]++)] =
                static_cast<int32_t>(i);
        }
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
                // Room for the parts of all blocks, if they are like this one, and a little more: parts differ.
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
    std::span<const Value> values(size_t part) const {
        const size_t width = columns_.size() / kKeyParts;
        return {columns_.data() + part * width, width};
    }

private:
    std::vector<Value> columns_;  // of each part, one per expression
    std::array<int64_t, kKeyParts> rows_{};
    std::vector<Value> values_;
    std::vector<uint64_t> hashes_;
    std::vector<int32_t> order_;
};

PartialGroups concatenated(std::vector<PartialGroups> parts, const AggregatePlan& aggregates) {
    PartialGroups whole = std::move(parts[0]);
    const int64_t first = whole.groups;
    for (size_t p = 1; p < parts.size(); ++p) whole.groups += parts[p].groups;
    parallelFor(static_cast<int64_t>(aggregates.calls.size() + whole.keys.size()), [&](int64_t i) {
        if (i < static_cast<int64_t>(whole.keys.size())) {
            Vector& keys = whole.keys[static_cast<size_t>(i)].vector();
            keys.reserve(whole.groups);
            for (size_t p = 1; p < parts.size(); ++p) {
                const Vector& more = parts[p].keys[static_cast<size_t>(i)].vector();
                keys.append(more, 0, more.size());
            }
            return;
        }
        GroupedState& state = *whole.states[static_cast<size_t>(i) - whole.keys.size()];
        state.resize(whole.groups);
        std::vector<int32_t> numbers;
        int64_t next = first;
        for (size_t p = 1; p < parts.size(); ++p) {
            numbers.resize(static_cast<size_t>(parts[p].groups));
            for (int32_t& number : numbers) number = static_cast<int32_t>(next++);
            state.merge(*parts[p].states[static_cast<size_t>(i) - whole.keys.size()], numbers.data(), parts[p].groups);
        }
    });
    return whole;
}

}  // namespace

bool prefersKeyParts(std::span<const Morsel> morsels, const std::vector<ColumnExpression>& keys,
                     const AggregatePlan& aggregates, Filter& filter, Context& context) {
    if (morsels.size() < kLeastMorsels || keys.empty()) return false;
    for (const ColumnExpression& k : keys) {
        if (!isMovable(keyType(k))) return false;
    }
    for (const AggregateCall& call : aggregates.calls) {
        for (const ColumnExpression& a : call.arguments) {
            if (!a.isConstant() && !isMovable(typeOf(a))) return false;
        }
    }
    // A block from the middle tells: many groups, and not in order.
    const Morsel& middle = morsels[morsels.size() / 2];
    const Filter::Selection selection = filter.select(*middle.reader, middle.firstBlock, context);
    BlockRows rows(*middle.reader, middle.firstBlock, selection);
    if (rows.rows() < kLeastSample) return false;
    std::vector<Value> values;
    for (const ColumnExpression& k : keys) values.push_back(rows.evaluate(k, context));
    GroupTable sample(keyTypes(keys), KeyLookup::Hashed);
    std::vector<int32_t> numbers(static_cast<size_t>(rows.rows()));
    sample.assign(values, rows.rows(), numbers.data());
    return sample.size() * 2 > rows.rows() && !sample.sawAscending() && sample.keyBits() > kFewBits;
}

PartialGroups groupByKeyParts(std::span<const Morsel> morsels, const std::vector<ColumnExpression>& keys,
                              const AggregatePlan& aggregates, Filter& filter, Context& context) {
    const ReadExpressions read = readExpressions(keys, aggregates);
    const std::vector<Type> types = keyTypes(keys);
    std::vector<MorselParts> scanned(morsels.size());
    const std::vector<Morsel> own(morsels.begin(), morsels.end());
    forEachMorsel(own, readColumns(filter, read.all, context), context,
                  [&](size_t number, const Morsel& morsel, Context& inner) {
                      for (int b = morsel.firstBlock; b < morsel.endBlock; ++b) {
                          const Filter::Selection selection = filter.select(*morsel.reader, b, inner);
                          if (!selection.all && selection.positions.empty()) continue;
                          BlockRows rows(*morsel.reader, b, selection);
                          scanned[number].add(rows, read, keys.size(), morsel.endBlock - b, inner);
                      }
                  });
    std::vector<PartialGroups> parts(kKeyParts);
    parallelFor(static_cast<int64_t>(kKeyParts), [&](int64_t part) {
        const auto p = static_cast<size_t>(part);
        context.checkCancelled();
        Grouping grouping(types, aggregates, KeyLookup::Hashed);
        for (const MorselParts& morsel : scanned) {
            const int64_t n = morsel.rows(p);
            if (n == 0) continue;
            const std::span<const Value> values = morsel.values(p);
            const int32_t* groups = grouping.number(values.first(keys.size()), n).data();
            for (size_t i = 0; i < aggregates.calls.size(); ++i) {
                std::vector<Value> arguments;
                for (size_t a : read.argumentsOf[i]) arguments.push_back(values[a]);
                grouping.state(i).add(arguments, groups, n);
            }
        }
        parts[p] = grouping.finish();
    });
    return concatenated(std::move(parts), aggregates);
}

}  // namespace pelorus
