// Appends concurrent with readers: new elements are added after those that others see, and never by a copy of them.
#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "runtime/memory/string_arena.h"
#include "runtime/table/table.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/vector.h"

using namespace pelorus;

namespace {

std::vector<int64_t> itemsOf(const Vector& v) {
    return {v.data<int64_t>(), v.data<int64_t>() + v.size()};
}

Ref<Vector> longs(const std::vector<int64_t>& elements, int64_t capacity) {
    Ref<Vector> v = Vector::make(Type::Long, 0, capacity);
    v->append(*Vector::of<int64_t>(Type::Long, elements), 0, static_cast<int64_t>(elements.size()));
    return v;
}

}  // namespace

TEST_CASE("the owner of a buffer appends behind its views where they lie") {
    const Ref<Vector> owner = longs({1, 2, 3}, 8);
    const char* const place = owner->raw();
    const Ref<Vector> view = owner->slice(0, 3);
    owner->append(Value::ofLong(4));
    owner->append(*Vector::of<int64_t>(Type::Long, {5, 6}), 0, 2);
    owner->resize(7);
    CHECK(owner->raw() == place);
    CHECK(view->raw() == place);
    CHECK(itemsOf(*view) == std::vector<int64_t>{1, 2, 3});
    CHECK(itemsOf(*owner) == std::vector<int64_t>{1, 2, 3, 4, 5, 6, null<int64_t>});
}

TEST_CASE("a view that grows moves, and leaves the end to its owner") {
    const Ref<Vector> owner = longs({1, 2, 3}, 8);
    const Ref<Vector> view = owner->slice(0, 3);
    view->append(Value::ofLong(40));
    CHECK(view->raw() != owner->raw());
    const char* const place = owner->raw();
    const Ref<Vector> other = owner->slice(1, 2);
    owner->append(Value::ofLong(4));
    CHECK(owner->raw() == place);
    CHECK(itemsOf(*view) == std::vector<int64_t>{1, 2, 3, 40});
    CHECK(itemsOf(*owner) == std::vector<int64_t>{1, 2, 3, 4});
    CHECK(itemsOf(*other) == std::vector<int64_t>{2, 3});
}

TEST_CASE("what a view sees behind a shortened vector stays") {
    const Ref<Vector> owner = longs({1, 2, 3}, 8);
    const Ref<Vector> view = owner->slice(0, 3);
    owner->resize(1);
    owner->append(Value::ofLong(9));
    CHECK(itemsOf(*owner) == std::vector<int64_t>{1, 9});
    CHECK(itemsOf(*view) == std::vector<int64_t>{1, 2, 3});
}

TEST_CASE("writing an item that a view sees moves the writer") {
    const Ref<Vector> owner = longs({1, 2, 3}, 8);
    const Ref<Vector> view = owner->slice(0, 3);
    owner->append(Value::ofLong(4));
    owner->set(0, Value::ofLong(10));
    CHECK(itemsOf(*owner) == std::vector<int64_t>{10, 2, 3, 4});
    CHECK(itemsOf(*view) == std::vector<int64_t>{1, 2, 3});
}

TEST_CASE("one of those to whom the end is handed over has it, whoever asks first") {
    for (int round = 0; round < 200; ++round) {
        const Ref<Vector> first = longs({1, 2, 3}, 64);
        std::vector<Ref<Vector>> heirs(4);
        std::vector<std::thread> threads;
        for (size_t i = 0; i < heirs.size(); ++i) {
            threads.emplace_back([&, i] {
                heirs[i] = first->handOver();
                for (int64_t k = 0; k < 5; ++k) heirs[i]->append(Value::ofLong(static_cast<int64_t>(i) * 10 + k));
            });
        }
        for (std::thread& thread : threads) thread.join();
        int inPlace = 0;
        for (size_t i = 0; i < heirs.size(); ++i) {
            inPlace += heirs[i]->raw() == first->raw();
            const auto base = static_cast<int64_t>(i) * 10;
            REQUIRE(itemsOf(*heirs[i]) == std::vector<int64_t>{1, 2, 3, base, base + 1, base + 2, base + 3, base + 4});
        }
        REQUIRE(inPlace == 1);
        REQUIRE(itemsOf(*first) == std::vector<int64_t>{1, 2, 3});
    }
}

TEST_CASE("texts stay where they are while their owner adds others beside readers") {
    const Ref<Vector> owner = Vector::make(Type::String, 0, 4);
    const std::string longString(400'000, 'x');  // has a separate block
    owner->append(Value::ofString("first"));
    owner->append(Value::ofString(longString));
    const Ref<Vector> view = owner->slice(0, 2);
    const char* const place = view->string(0).data();
    std::atomic<bool> done{false};
    std::atomic<int> wrong{0}, reads{0};
    std::vector<std::thread> readers;
    for (int i = 0; i < 2; ++i) {
        readers.emplace_back([&] {
            do {
                wrong += view->string(0) != "first" || view->string(1).size() != longString.size();
                ++reads;
            } while (!done);
        });
    }
    for (int i = 0; i < 50'000; ++i) owner->append(Value::ofString("text " + std::to_string(i)));
    done = true;
    for (std::thread& reader : readers) reader.join();
    CHECK(wrong == 0);
    CHECK(reads > 0);
    CHECK(view->string(0).data() == place);
    CHECK(owner->string(0).data() == place);
    REQUIRE(owner->size() == 50'002);
    CHECK(owner->string(50'001) == "text 49999");
}

TEST_CASE("a vector that does not own the texts it shows adds to none but its own") {
    const Ref<Vector> owner = Vector::ofStrings({"a", "b", "c"});
    const Ref<Vector> picked = owner->gather(std::vector<int64_t>{2, 0}.data(), 2);
    const int64_t before = owner->arena()->memoryBytes();
    picked->append(Value::ofString("d"));
    for (int i = 0; i < 1000; ++i) picked->setString(0, "another text " + std::to_string(i));
    CHECK(owner->arena()->memoryBytes() == before);
    CHECK(picked->string(0) == "another text 999");
    CHECK(picked->string(1) == "a");
    CHECK(picked->string(2) == "d");
    CHECK(owner->string(2) == "c");
}

TEST_CASE("texts that were replaced do not stay for ever") {
    const Ref<Vector> v = Vector::ofStrings({"", "kept"});
    const std::string string(100, 'x');
    for (int i = 0; i < 200'000; ++i) v->setString(0, string + std::to_string(i));
    CHECK(v->string(0) == string + "199999");
    CHECK(v->string(1) == "kept");
    CHECK(v->memoryBytes() < 5'000'000);
}

TEST_CASE("what is known of items holds where others come behind them, and ends with a write") {
    const Ref<Vector> v = longs({1, 2, 2}, 8);
    v->setMayHaveNull(false);
    v->setProperty(VectorProperty::Ascending);
    const Ref<Vector> more = Vector::of<int64_t>(Type::Long, {2, 5});
    more->setMayHaveNull(false);
    more->setProperty(VectorProperty::Ascending);
    v->append(*more, 0, 2);
    CHECK(v->isKnown(VectorProperty::Ascending));
    CHECK_FALSE(v->mayHaveNull());
    CHECK(v->slice(1, 2)->isKnown(VectorProperty::Ascending));
    v->append(*more, 0, 2);  // 2 behind 5
    CHECK_FALSE(v->isKnown(VectorProperty::Ascending));
    CHECK_FALSE(v->mayHaveNull());
    more->mutableData<int64_t>()[0] = 7;
    CHECK_FALSE(more->isKnown(VectorProperty::Ascending));
    CHECK(more->mayHaveNull());
}

TEST_CASE("a table that sessions share grows beside its snapshots without a copy") {
    auto table =
        MemoryTable::empty({{"id", Type::Long}, {"name", Type::String}, {"levels", arrayTypeOf(Type::Double)}}, 0);
    table->lock = std::make_shared<RecursiveMutex>();
    const auto rows = [](int64_t first, int64_t count) {
        std::vector<int64_t> ids;
        std::vector<std::string> names;
        auto levels = makeRef<ArrayVector>(Type::Double);
        for (int64_t i = first; i < first + count; ++i) {
            ids.push_back(i);
            names.push_back("name " + std::to_string(i));
            levels->appendRow(*Vector::of<double>(Type::Double, {1.0 * static_cast<double>(i), 2.0}));
        }
        return makeRef<MemoryTable>(std::vector<std::string>{"id", "name", "levels"},
                                    std::vector<Value>{Value::of(Vector::of<int64_t>(Type::Long, ids)),
                                                       Value::of(Vector::ofStrings(names)), Value::of(levels)});
    };
    table->append(*rows(0, 1000));
    std::vector<Ref<MemoryTable>> snapshots;
    int moves = 0;
    for (int64_t i = 0; i < 2000; ++i) {
        snapshots.push_back(table->snapshot());
        const char* const before = table->column(0).vector().raw();
        table->append(*rows(1000 + i, 1));
        moves += table->column(0).vector().raw() != before;
    }
    CHECK(moves < 10);  // only when the buffer is full
    for (size_t s = 0; s < snapshots.size(); s += 97) {
        const MemoryTable& seen = *snapshots[s];
        const auto count = 1000 + static_cast<int64_t>(s);
        REQUIRE(seen.rowCount() == count);
        REQUIRE(seen.column(0).vector().data<int64_t>()[count - 1] == count - 1);
        REQUIRE(seen.column(1).vector().string(count - 1) == "name " + std::to_string(count - 1));
        REQUIRE(seen.column(2).size() == count);
        REQUIRE(seen.column(2).arrayVector().row(count - 1)->data<double>()[0] == static_cast<double>(count - 1));
    }
    // An append to a vector that a reader got does not take the end from the table.
    Value taken = snapshots.back()->column(0);
    appendElements(taken, Value::of(Vector::of<int64_t>(Type::Long, {-1})));
    const char* const before = table->column(0).vector().raw();
    table->append(*rows(3000, 1));
    CHECK(table->column(0).vector().raw() == before);
    CHECK(table->column(0).vector().data<int64_t>()[3000] == 3000);
}
