// View of the messages of Arrow's IPC format: tables of FlatBuffers in bytes that come from outside.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "common/error.h"

namespace pelorus::arrow {

// A table of numbered fields within bytes that its maker owns. Every place is checked before it is read; a table that
// leads outside of the bytes throws SystemError.
class FlatView {
public:
    // Views the root of a message.
    explicit FlatView(std::string_view bytes);

    // Returns a number, or its default when it is absent.
    template <class T>
    T number(int field, T absent) const {
        const size_t place = placeOf(field);
        return place == 0 ? absent : read<T>(place);
    }
    bool has(int field) const { return placeOf(field) != 0; }
    // Return an empty string, no tables or no bytes when the field is absent.
    std::string_view text(int field) const;
    size_t tableCount(int field) const;
    FlatView tableAt(int field, size_t i) const;
    // Returns the bytes of a vector of structures of so many bytes each.
    std::string_view structs(int field, size_t structBytes) const;
    // Throws SystemError when the table is absent.
    FlatView table(int field) const;

private:
    FlatView(std::string_view bytes, size_t table) : bytes_(bytes), table_(table) {}
    template <class T>
    T read(size_t place) const {
        require(place, sizeof(T));
        T number;
        std::memcpy(&number, bytes_.data() + place, sizeof number);
        return number;
    }
    void require(size_t place, size_t count) const;
    size_t placeOf(int field) const;
    size_t follow(size_t place) const;

    std::string_view bytes_;
    size_t table_ = 0;
};

// The error of Arrow data that are damaged, or of a kind that is not read.
class DamagedArrow final : public SystemError {
public:
    using SystemError::SystemError;
};

// Throws DamagedArrow: the data are damaged, in this way.
[[noreturn]] void refuseArrow(std::string_view how);

}  // namespace pelorus::arrow
