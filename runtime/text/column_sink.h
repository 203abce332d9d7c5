// One column being filled from text fields.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "runtime/text/delimited_text.h"
#include "runtime/text/temporal_text.h"
#include "runtime/vector.h"

namespace pelorus::text {

class ColumnSink {
public:
    ColumnSink(const TextColumn& column, int64_t capacity);

    // Stores the field of a row; false when the type cannot read it: NULL is stored then. An empty field is NULL.
    bool put(int64_t row, std::string_view field);
    void putNull(int64_t row);
    // The column, cut to its rows.
    Ref<Vector> finish(int64_t rows);

private:
    enum class Kind : uint8_t { Bool, Int8, Int16, Int32, Int64, Float32, Float64, Temporal, Symbol, Text, Other };

    template <class T>
    T* items() {
        return reinterpret_cast<T*>(raw_);
    }
    template <class T>
    bool putInteger(int64_t row, std::string_view field);
    bool putTemporal(int64_t row, std::string_view field);
    bool putSymbol(int64_t row, std::string_view field);
    bool putOther(int64_t row, std::string_view field);
    void storeInteger(int64_t row, int64_t stored);

    Ref<Vector> column_;
    char* raw_;
    Type type_;
    uint8_t scale_;
    Kind kind_;
    std::optional<TemporalPattern> pattern_;

    // Neighbouring rows repeat their dates, times and symbols more often than not.
    char lastText_[40];
    size_t lastSize_ = SIZE_MAX;
    int64_t lastStored_ = 0;

    std::array<int32_t, 256> oneByteCodes_{};  // 0: not known yet
    std::unordered_map<std::string_view, int32_t> codes_;
};

}  // namespace pelorus::text
