// A stream table with subscribers, for the tests of publications.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/append/append_rows.h"
#include "runtime/stream/stream_log.h"
#include "streaming/publication/publications.h"

namespace pelorus {

inline Ref<MemoryTable> numbers(int64_t begin, int64_t count) {
    const Ref<Vector> x = Vector::make(Type::Long, count);
    for (int64_t i = 0; i < count; ++i) x->mutableData<int64_t>()[i] = begin + i;
    return makeRef<MemoryTable>(std::vector<std::string>{"x"}, std::vector<Value>{Value::of(x)});
}

// A stream table of consecutive numbers, with its subscribers.
struct Feed {
    Services services;
    Publications all;
    Ref<MemoryTable> table = numbers(0, 0);
    int64_t written = 0;

    Feed() { makeStream(*table); }
    void append(int64_t rows) {
        appendToMemory(*table, *numbers(written, rows));
        written += rows;
    }
    std::shared_ptr<Publication> subscribe(int64_t first, int64_t maxLagRows = INT64_MAX) {
        PublicationOptions options;
        options.table = "feed";
        options.topic = "here/feed/a";
        options.maxLagRows = maxLagRows;
        return all.add(services, table, 4, std::move(options), nullptr, nullptr, first);
    }
};

}  // namespace pelorus
