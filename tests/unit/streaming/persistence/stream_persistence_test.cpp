#include "streaming/persistence/stream_persistence.h"

#include <catch2/catch.hpp>

#include "database/service/database_service.h"
#include "runtime/append/append_rows.h"
#include "runtime/function/principal.h"
#include "runtime/stream/stream_log.h"
#include "storage/folder/maintenance.h"
#include "storage/log/wal_writer.h"
#include "tests/support/faulty_file_system.h"
#include "tests/unit/streaming/stream_script.h"

using namespace pelorus;

namespace {

Ref<MemoryTable> numbers(int64_t begin, int64_t count) {
    const Ref<Vector> x = Vector::make(Type::Long, count);
    for (int64_t i = 0; i < count; ++i) x->mutableData<int64_t>()[i] = begin + i;
    return makeRef<MemoryTable>(std::vector<std::string>{"x"}, std::vector<Value>{Value::of(x)});
}

Ref<MemoryTable> emptyStream() {
    const Ref<MemoryTable> table = numbers(0, 0);
    makeStream(*table);
    return table;
}

// A process whose data folder is on a disk that breaks.
struct OneNode {
    explicit OneNode(const std::shared_ptr<FaultyFileSystem>& files) {
        services.add<DatabaseService>(std::make_shared<LocalDatabaseService>(
            LocalDatabaseService::Options{.folder = "/data", .storage = {.maintenance = false}, .files = files}));
    }
    ~OneNode() { persistence.stop(); }

    Ref<MemoryTable> enable(const std::string& name, PersistenceOptions options = {}, int64_t loaded = INT64_MAX) {
        const Ref<MemoryTable> table = emptyStream();
        persistence.enable(services, table, name, *Principal::owner(), options, loaded);
        return table;
    }
    void awaitWritten(const MemoryTable& table) {
        for (int i = 0; i < 500 && table.stream->published() < table.stream->total(); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
        REQUIRE(table.stream->published() == table.stream->total());
    }

    Services services;
    StreamPersistence persistence;
};

void requireNumbers(const MemoryTable& table, int64_t begin, int64_t count) {
    REQUIRE(table.rowCount() == count);
    for (int64_t i = 0; i < count; ++i) REQUIRE(table.column(0).at(i).asLong() == begin + i);
}

}  // namespace

TEST_CASE("a table that is enabled again has its rows, numbers and appends") {
    const auto files = std::make_shared<FaultyFileSystem>();
    const bool isAsynchronous = GENERATE(true, false);
    {
        OneNode node(files);
        const Ref<MemoryTable> table = node.enable("kept", {.isAsynchronous = isAsynchronous});
        appendToMemory(*table, *numbers(0, 3));
        if (!isAsynchronous) REQUIRE(table->stream->published() == 3);
        appendToMemory(*table, *numbers(3, 2));
        node.awaitWritten(*table);
    }
    OneNode node(files);
    const Ref<MemoryTable> table = node.enable("kept", {}, 2);
    requireNumbers(*table, 3, 2);
    REQUIRE(table->stream->first() == 3);
    REQUIRE(table->stream->total() == 5);
    appendToMemory(*table, *numbers(5, 1));
    node.awaitWritten(*table);
    const StreamRows found = table->stream->keeper()->read(0, 100);
    REQUIRE(found.ends == std::vector<int64_t>{3, 5, 6});
    requireNumbers(*found.rows, 0, 6);
}

TEST_CASE("a synchronous append that the disk refuses leaves nothing, in memory or on disk") {
    const auto files = std::make_shared<FaultyFileSystem>();
    OneNode node(files);
    const Ref<MemoryTable> table = node.enable("kept", {.isAsynchronous = false});
    appendToMemory(*table, *numbers(0, 2));
    files->setFreeBytes(10);
    REQUIRE_THROWS_AS(appendToMemory(*table, *numbers(2, 1)), SystemError);
    REQUIRE(table->rowCount() == 2);
    files->setFreeBytes(1 << 30);
    appendToMemory(*table, *numbers(2, 1));
    requireNumbers(*table, 0, 3);
    requireNumbers(*table->stream->keeper()->read(0, 10).rows, 0, 3);
}

TEST_CASE("rows that the disk refuses wait, the table takes no more, and all goes on in order") {
    const auto files = std::make_shared<FaultyFileSystem>();
    OneNode node(files);
    const Ref<MemoryTable> table = node.enable("kept");
    appendToMemory(*table, *numbers(0, 2));
    node.awaitWritten(*table);
    files->setFreeBytes(10);
    appendToMemory(*table, *numbers(2, 1));
    const auto keeper = StreamPersistence::keeperOf(*table);
    for (int i = 0; i < 500 && keeper->error().empty(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    REQUIRE_FALSE(keeper->error().empty());
    REQUIRE(table->stream->published() == 2);
    REQUIRE_THROWS_AS(appendToMemory(*table, *numbers(3, 1)), SystemError);
    REQUIRE(table->rowCount() == 3);
    files->setFreeBytes(1 << 30);
    node.awaitWritten(*table);
    appendToMemory(*table, *numbers(3, 1));
    node.awaitWritten(*table);
    requireNumbers(*keeper->read(0, 10).rows, 0, 4);
}

TEST_CASE("rows leave the memory once they are on disk, and are read from there") {
    const auto files = std::make_shared<FaultyFileSystem>();
    OneNode node(files);
    const Ref<MemoryTable> table = node.enable("kept");
    table->stream->setBounds({.rows = 1000});
    for (int64_t i = 0; i < 20; ++i) {
        appendToMemory(*table, *numbers(i * 200, 200));
        node.awaitWritten(*table);
    }
    REQUIRE(table->rowCount() <= 1000);
    requireNumbers(*table->stream->keeper()->read(0, 4000).rows, 0, 4000);
}

TEST_CASE("columns that differ from those on disk are refused, and another user's rows") {
    const auto files = std::make_shared<FaultyFileSystem>();
    { OneNode(files).enable("kept"); }
    OneNode node(files);
    const Ref<MemoryTable> other = emptyStream();
    other->renameColumn(0, "y");
    const auto enable = [&](const Ref<MemoryTable>& table) {
        node.persistence.enable(node.services, table, "kept", *Principal::guest(), {}, 0);
    };
    REQUIRE_THROWS_AS(enable(emptyStream()), UserError);
    REQUIRE_THROWS_AS(node.persistence.enable(node.services, other, "kept", *Principal::owner(), {}, 0), UserError);
    REQUIRE(node.persistence.all().empty());
    node.persistence.remove(node.services, "kept");
    enable(other);
    REQUIRE(node.persistence.all().size() == 1);
}

TEST_CASE("a table that is no longer kept goes on in memory, and its rows on disk stay until they are cleared") {
    const auto files = std::make_shared<FaultyFileSystem>();
    OneNode node(files);
    const Ref<MemoryTable> table = node.enable("kept");
    appendToMemory(*table, *numbers(0, 2));
    node.persistence.disable(*table);
    REQUIRE(StreamPersistence::keeperOf(*table) == nullptr);
    appendToMemory(*table, *numbers(2, 1));
    REQUIRE(table->stream->published() == 3);
    REQUIRE(node.persistence.folder(node.services)->find("kept")->range().second == 2);
    node.persistence.clear(node.services, *table);
    REQUIRE(node.persistence.folder(node.services)->names().empty());
    requireNumbers(*table, 0, 3);
}

TEST_CASE("after a sync that failed a table goes on once the log begins anew, without a gap or a repeat") {
    const auto files = std::make_shared<FaultyFileSystem>();
    const bool isAsynchronous = GENERATE(true, false);
    OneNode node(files);
    const Ref<MemoryTable> table = node.enable("kept", {.isAsynchronous = isAsynchronous});
    appendToMemory(*table, *numbers(0, 2));
    node.awaitWritten(*table);
    files->failSyncs(true);
    LocalStorage& storage = node.services.find<DatabaseService>()->ownStorage();
    if (isAsynchronous) {
        appendToMemory(*table, *numbers(2, 1));
        node.awaitWritten(*table);
        REQUIRE_THROWS_AS(storage.log().sync(), SystemError);
    } else {
        REQUIRE_THROWS_AS(appendToMemory(*table, *numbers(2, 1)), SystemError);
    }
    files->failSyncs(false);
    storage.maintenance().renewLog();
    node.awaitWritten(*table);
    const int64_t rows = table->stream->total();
    REQUIRE(rows == (isAsynchronous ? 3 : 2));
    appendToMemory(*table, *numbers(rows, 2));
    node.awaitWritten(*table);
    requireNumbers(*table, 0, rows + 2);
    requireNumbers(*table->stream->keeper()->read(0, 100).rows, 0, rows + 2);
}
