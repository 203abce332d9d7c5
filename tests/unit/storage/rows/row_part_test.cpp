// A model test: random interleavings of transactions, aborts, purges and readers over the pages and indexes of a part,
// beside a history that is kept in plain maps. Mistakes that are planted must be convicted first.
#include "storage/rows/row_part.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <thread>

#include "common/error.h"

#include "row_samples.h"

using namespace pelorus;

namespace {

constexpr int kKeys = 6;

// A mistake that the test makes on purpose, to show that it would find it.
enum class Mistake { None, PurgePastReaders, BelieveEntries, ReadWhatIsPlaced, KeepAborted };

// One seed of the model: four writers and three readers, which take one step at a time.
class Interleaving {
public:
    Interleaving(unsigned seed, Mistake mistake) : random_(seed), mistake_(mistake) {
        part_->setIndexes({{"key", {0}, true}, {"text", {1}, false}});
    }

    // Returns what went wrong; nothing when all readers saw their snapshots.
    std::string run(int steps) {
        for (int step = 0; step < steps && wrong_.empty(); ++step) {
            const size_t who = random_() % (writers_.size() + readers_.size());
            if (who < writers_.size())
                stepWriter(writers_[who]);
            else
                stepReader(readers_[who - writers_.size()]);
            if (random_() % 4 == 0) purge();
            if (random_() % 40 == 0) changeIndexes();
        }
        for (Writer& writer : writers_) {
            if (writer.transaction) end(writer, false);
        }
        if (wrong_.empty() && mistake_ == Mistake::None) {
            for (Reader& reader : readers_) reader.number = 0;
            part_->purge(last_);
            for (const std::string& difference : part_->check()) wrong_ = difference;
        }
        return wrong_;
    }

private:
    using Rows = std::map<int32_t, std::string>;  // by key
    struct Writer {
        std::optional<RowTransaction> transaction;
        std::map<uint64_t, std::optional<std::pair<int32_t, std::string>>> changes;  // by row; none: erased
        int left = 0;
    };
    struct Reader {
        uint64_t number = 0;  // 0: reads nothing
        Rows expected, seen;
        std::string key;
        uint64_t from = 0;
        bool twice = false;
    };

    void stepWriter(Writer& writer) {
        if (!writer.transaction) {
            writer.transaction.emplace(slots_);
            writer.changes.clear();
            writer.left = 1 + static_cast<int>(random_() % 3);
        }
        if (writer.left-- == 0) return end(writer, random_() % 10 < 7);
        const SampleRow row(static_cast<int32_t>(random_() % kKeys), texts_[random_() % 3]);
        const std::vector<uint64_t> rows = liveRows();
        const unsigned choice = random_() % 4;
        RowPart::Result result;
        std::optional<std::pair<int32_t, std::string>> after{{numberIn(row.cells()[0]), std::string(row.cells()[1])}};
        if (choice < 2 || rows.empty()) {
            result = part_->insert(*writer.transaction, row.cells());
        } else if (choice == 2) {
            result = part_->update(*writer.transaction, rows[random_() % rows.size()], {0, 1}, row.cells());
        } else {
            result = part_->erase(*writer.transaction, rows[random_() % rows.size()]);
            after.reset();
        }
        if (result.outcome == RowOutcome::Done)
            writer.changes[result.row] = after;
        else if (result.outcome != RowOutcome::Changed)
            end(writer, false);
    }

    void end(Writer& writer, bool commits) {
        if (!commits && mistake_ != Mistake::KeepAborted) {
            writer.transaction->abort();
        } else {
            const uint64_t number = last_ + 1;
            writer.transaction->place(number);
            writer.transaction->settle();
            if (commits) {
                for (const auto& [row, after] : writer.changes) committed_[row] = after;
            }
            last_ = number;
            Rows now;
            for (const auto& [row, after] : committed_) {
                if (after && !now.emplace(after->first, after->second).second) wrong_ = "two rows of one key";
            }
            history_[number] = now;
        }
        writer.transaction.reset();
    }

    std::vector<uint64_t> liveRows() const {
        std::vector<uint64_t> rows;
        for (const auto& [row, after] : committed_) {
            if (after) rows.push_back(row);
        }
        return rows;
    }

    void stepReader(Reader& reader) {
        if (reader.number == 0) {
            if (last_ == 0) return;
            reader = {};
            reader.number = last_;
            reader.expected = history_[last_];
            return;
        }
        const uint64_t number = mistake_ == Mistake::ReadWhatIsPlaced ? TransactionSlots::kNewest : reader.number;
        const auto index = (*part_->indexes())[0];
        std::vector<RowKeyIndex::Entry> entries;
        {
            const LatchReader latch(index->latch());
            index->entriesFrom(reader.key, reader.from, 2, entries);
        }
        for (const RowKeyIndex::Entry& entry : entries) {
            RowCells cells;
            if (!part_->read(entry.row, {number}, {0, 1}, cells)) continue;
            RowCells key;
            key.add(cells[0]);
            if (index->keyOf(key) != entry.key && mistake_ != Mistake::BelieveEntries) continue;
            if (!reader.seen.emplace(numberIn(cells[0]), std::string(cells[1])).second) reader.twice = true;
        }
        if (!entries.empty()) {
            reader.key = entries.back().key;
            reader.from = entries.back().row + 1;
            return;
        }
        if (reader.twice) wrong_ = "a range met a row twice";
        if (reader.seen != reader.expected) wrong_ = "a range differs from the snapshot";
        if (mistake_ == Mistake::None) checkOtherPaths(reader);
        reader.number = 0;
    }

    // The same rows come by scans, look-ups and the part's own ranges.
    void checkOtherPaths(const Reader& reader) {
        const RowView view{reader.number};
        int64_t rows = 0;
        for (const RowPage* page : part_->pages()) {
            const int64_t count = page->rowCount(view);
            const Ref<Vector> keys = Vector::make(Type::Int, count);
            if (page->copyColumn(view, 0, *keys, 0) != count) wrong_ = "a page counts other rows than it has";
            for (int64_t i = 0; i < count; ++i) {
                if (reader.expected.count(keys->data<int32_t>()[i]) == 0) wrong_ = "a scan shows another key";
            }
            rows += count;
        }
        if (rows != static_cast<int64_t>(reader.expected.size())) wrong_ = "a scan shows another number of rows";
        const auto index = (*part_->indexes())[0];
        for (int32_t key = 0; key < kKeys; ++key) {
            RowCells cells;
            cells.add(SampleRow(key, "").numberCell());
            const bool isFound = part_->find(*index, index->keyOf(cells), view) != RowPart::kNoRow;
            if (isFound != (reader.expected.count(key) != 0)) wrong_ = "a look-up differs from the snapshot";
        }
        int64_t ranged = 0;
        part_->range(*(*part_->indexes())[1], "", nullptr, view, [&](uint64_t) { return ++ranged > 0; });
        if (ranged != rows) wrong_ = "a range over texts shows another number of rows";
    }

    // Makes a third index, or forgets it, while nobody writes.
    void changeIndexes() {
        if (std::any_of(writers_.begin(), writers_.end(), [](const Writer& w) { return w.transaction.has_value(); }))
            return;
        hasThird_ = !hasThird_;
        std::vector<RowIndexDefinition> definitions = {{"key", {0}, true}, {"text", {1}, false}};
        if (hasThird_) definitions.push_back({"both", {1, 0}, true});
        part_->setIndexes(definitions, last_);
    }

    void purge() {
        uint64_t horizon = last_;
        for (const Reader& reader : readers_) {
            if (reader.number != 0 && mistake_ != Mistake::PurgePastReaders) horizon = std::min(horizon, reader.number);
        }
        part_->purge(horizon);
        for (auto at = history_.begin(); at != history_.end() && at->first < horizon;) at = history_.erase(at);
    }

    std::mt19937 random_;
    const Mistake mistake_;
    const std::vector<std::string> texts_ = {"", std::string("\0", 1), "a text of more than sixteen bytes"};
    TransactionSlots slots_;
    std::shared_ptr<RowPart> part_ = std::make_shared<RowPart>(1, kSampleColumns, slots_);
    std::vector<Writer> writers_ = std::vector<Writer>(4);
    std::vector<Reader> readers_ = std::vector<Reader>(3);
    std::map<uint64_t, std::optional<std::pair<int32_t, std::string>>> committed_;  // by row
    std::map<uint64_t, Rows> history_;
    uint64_t last_ = 0;
    bool hasThird_ = false;
    std::string wrong_;
};

// Returns the first seed that goes wrong; -1 for none.
int firstWrong(Mistake mistake, int seeds) {
    for (int seed = 0; seed < seeds; ++seed) {
        try {
            if (!Interleaving(static_cast<unsigned>(seed), mistake).run(900).empty()) return seed;
        } catch (const Error&) {
            return seed;  // a version that a reader needs is gone
        }
    }
    return -1;
}

}  // namespace

TEST_CASE("the model of row parts convicts planted mistakes") {
    for (const Mistake mistake :
         {Mistake::PurgePastReaders, Mistake::BelieveEntries, Mistake::ReadWhatIsPlaced, Mistake::KeepAborted})
        CHECK(firstWrong(mistake, 50) >= 0);
}

TEST_CASE("readers of a row part see their snapshots through changes, aborts, purges and slots used again") {
    for (unsigned seed = 0; seed < 500; ++seed) {
        INFO("seed " << seed);
        REQUIRE(Interleaving(seed, Mistake::None).run(900) == std::string());
    }
}

TEST_CASE("of two that insert one key the second waits for the first, and an abort lets it in") {
    TransactionSlots slots;
    auto part = std::make_shared<RowPart>(1, kSampleColumns, slots);
    part->setIndexes({{"key", {0}, true}});
    const SampleRow row(1, "x");
    RowTransaction first(slots);
    REQUIRE(part->insert(first, row.cells()).outcome == RowOutcome::Done);
    RowTransaction second(slots);
    const RowPart::Result busy = part->insert(second, row.cells());
    CHECK(busy.outcome == RowOutcome::Busy);
    CHECK(busy.owner == first.tag());
    first.abort();
    CHECK(part->insert(second, row.cells()).outcome == RowOutcome::Done);
    second.place(5);
    RowTransaction third(slots);
    CHECK(part->insert(third, row.cells()).outcome == RowOutcome::Duplicate);
    second.settle();
    // NULL is no duplicate of NULL.
    const SampleRow null(INT32_MIN, "x");
    CHECK(part->insert(third, null.cells()).outcome == RowOutcome::Done);
    CHECK(part->insert(third, null.cells()).outcome == RowOutcome::Done);
}

TEST_CASE("threads that move amounts between rows lose none, and each snapshot has the total") {
    constexpr int kRows = 20, kMoves = 300;
    TransactionSlots slots;
    auto part = std::make_shared<RowPart>(1, RowColumns{{Type::Int, 0}, {Type::Int, 0}}, slots);
    part->setIndexes({{"key", {0}, true}});
    Mutex commit;
    std::atomic<uint64_t> visible{1};
    {
        RowTransaction load(slots);
        for (int32_t i = 0; i < kRows; ++i) {
            const int32_t amount = 100;
            part->insert(load, {SampleRow(i, "").numberCell(), {reinterpret_cast<const char*>(&amount), 4}});
        }
        load.place(1);
        load.settle();
    }
    std::atomic<bool> isDone{false}, isWrong{false};
    const auto move = [&](unsigned seed) {
        std::mt19937 random(seed);
        for (int i = 0; i < kMoves; ++i) {
            uint64_t rows[2] = {random() % kRows, random() % kRows};
            if (rows[0] == rows[1]) continue;
            if (rows[0] > rows[1]) std::swap(rows[0], rows[1]);
            RowTransaction transaction(slots);
            int32_t change = 1;
            for (const uint64_t row : rows) {
                RowPart::Result result;
                do {
                    const uint64_t seen = visible;
                    RowCells cells;
                    part->read(row, {seen, transaction.tag()}, {1}, cells);
                    const int32_t amount = numberIn(cells[0]) + change;
                    result = part->update(transaction, row, {1}, {{reinterpret_cast<const char*>(&amount), 4}}, seen);
                    if (result.outcome == RowOutcome::Busy) std::this_thread::yield();
                } while (result.outcome != RowOutcome::Done);
                change = -1;
            }
            if (random() % 5 == 0) {
                transaction.abort();
                continue;
            }
            const MutexLock lock(commit);
            const uint64_t number = visible + 1;
            transaction.place(number);
            transaction.settle();
            visible = number;
        }
    };
    std::thread reader([&] {
        while (!isDone) {
            const RowView view{visible};
            int64_t total = 0, rows = 0;
            for (const RowPage* page : part->pages()) {
                const int64_t count = page->rowCount(view);
                const Ref<Vector> amounts = Vector::make(Type::Int, count);
                page->copyColumn(view, 1, *amounts, 0);
                for (int64_t i = 0; i < count; ++i) total += amounts->data<int32_t>()[i];
                rows += count;
            }
            if (rows != kRows || total != 100 * kRows) isWrong = true;
        }
    });
    std::thread one(move, 1), two(move, 2);
    one.join();
    two.join();
    isDone = true;
    reader.join();
    CHECK_FALSE(isWrong);
    part->purge(visible);
    CHECK(part->check().empty());
}

TEST_CASE("a new index has and judges the newest versions, and leaves nothing when older ones go") {
    TransactionSlots slots;
    auto part = std::make_shared<RowPart>(1, kSampleColumns, slots);
    uint64_t number = 0;
    const auto commit = [&](const std::function<void(RowTransaction&)>& change) {
        RowTransaction transaction(slots);
        change(transaction);
        transaction.place(++number);
        transaction.settle();
    };
    commit([&](RowTransaction& t) { part->insert(t, SampleRow(1, "a").cells()); });
    commit([&](RowTransaction& t) { part->update(t, 0, {0}, {SampleRow(2, "").numberCell()}); });
    commit([&](RowTransaction& t) { part->insert(t, SampleRow(1, "b").cells()); });
    part->setIndexes({{"key", {0}, true}}, number);
    const auto index = (*part->indexes())[0];
    CHECK(index->validFrom() == 3);
    RowCells key;
    key.add(SampleRow(1, "").numberCell());
    CHECK(part->find(*index, index->keyOf(key), {3}) == 1);
    CHECK(part->check().empty());
    part->purge(number);
    CHECK(part->check().empty());
    commit([&](RowTransaction& t) { part->update(t, 0, {1}, {"b"}); });
    CHECK_THROWS_AS(part->setIndexes({{"key", {0}, true}, {"text", {1}, true}}), UserError);
}

TEST_CASE("a check finds a planted difference between pages and an index") {
    TransactionSlots slots;
    auto part = std::make_shared<RowPart>(1, kSampleColumns, slots);
    part->setIndexes({{"key", {0}, true}});
    RowTransaction transaction(slots);
    const RowPart::Result inserted = part->insert(transaction, SampleRow(1, "x").cells());
    transaction.place(1);
    transaction.settle();
    CHECK(part->check().empty());
    const auto index = (*part->indexes())[0];
    RowCells cells;
    cells.add(SampleRow(2, "").numberCell());
    {
        const LatchWriter latch(index->latch());
        index->add(index->keyOf(cells), inserted.row);
    }
    REQUIRE(part->check().size() == 1);
    CHECK_THAT(part->check()[0], Catch::Contains("no such key"));
    cells.clear();
    cells.add(SampleRow(1, "").numberCell());
    {
        const LatchWriter latch(index->latch());
        index->erase(index->keyOf(cells), inserted.row);
    }
    CHECK(part->check().size() == 2);
}

TEST_CASE("a part that is loaded from its edits has the rows, the free slots and the indexes") {
    TransactionSlots slots;
    auto part = std::make_shared<RowPart>(1, kSampleColumns, slots);
    RowPart loaded(1, kSampleColumns, slots);
    std::mt19937 random(3);
    for (uint64_t number = 1; number < 200; ++number) {
        RowTransaction transaction(slots);
        const SampleRow row(static_cast<int32_t>(number), "text " + std::to_string(number));
        const uint64_t inserted = part->insert(transaction, row.cells()).row;
        if (number % 3 == 0) part->update(transaction, random() % (inserted + 1), {1}, {"other"});
        if (number % 5 == 0) part->erase(transaction, random() % (inserted + 1));
        loaded.load(number, transaction.changes()[0].edits);
        transaction.place(number);
        transaction.settle();
        part->purge(number);
    }
    loaded.endLoad();
    loaded.setIndexes({{"key", {0}, true}});
    CHECK(loaded.check().empty());
    const auto rowsOf = [](const RowPart& of) {
        std::vector<std::string> rows;
        for (uint64_t row = 0; row < 400; ++row) {
            RowCells cells;
            if (of.read(row, {1000}, {0, 1}, cells))
                rows.push_back(std::to_string(row) + " " + std::to_string(numberIn(cells[0])) + std::string(cells[1]));
        }
        return rows;
    };
    CHECK(rowsOf(*part) == rowsOf(loaded));
}
