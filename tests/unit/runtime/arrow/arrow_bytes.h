// Arrow streams in memory, for the tests of their readers and writers.
#pragma once

#include <numeric>
#include <string>
#include <utility>

#include "runtime/arrow/arrow_reader.h"
#include "runtime/arrow/arrow_writer.h"

namespace pelorus::testing {

// The bytes of a stream; refuses to reserve more than the limit.
class StringInput final : public arrow::ArrowInput {
public:
    explicit StringInput(std::string bytes, int64_t limit = INT64_MAX) : bytes_(std::move(bytes)), left_(limit) {}
    size_t readSome(char* target, size_t most) override {
        const size_t count = std::min(most, bytes_.size() - place_);
        std::memcpy(target, bytes_.data() + place_, count);
        place_ += count;
        return count;
    }
    void reserve(int64_t bytes) override {
        if (bytes > left_) throw UserError("more memory than the test allows");
        left_ -= bytes;
    }

private:
    const std::string bytes_;
    size_t place_ = 0;
    int64_t left_;
};

inline std::string arrowBytes(const MemoryTable& rows, arrow::ArrowWriter::Options options = {}) {
    std::string bytes;
    arrow::ArrowWriter writer(rows.columns(), std::move(options),
                              [&](GatheredBytes&& part) { bytes += part.joined(); });
    writer.write(rows);
    writer.finish();
    return bytes;
}

inline Ref<MemoryTable> tableOf(const std::string& bytes, int64_t limit = INT64_MAX) {
    StringInput input(bytes, limit);
    arrow::ArrowReader reader(input);
    std::vector<int> columns(reader.columns().size());
    std::iota(columns.begin(), columns.end(), 0);
    return reader.readAll(columns);
}

}  // namespace pelorus::testing
