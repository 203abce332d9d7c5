// Tables as streams of Arrow's IPC format within the wire protocol (docs/formats/wire.md).
#pragma once

#include <cstdint>

#include "runtime/serialize/value_codec.h"
#include "runtime/value/gathered_bytes.h"
#include "runtime/value/value.h"

namespace pelorus {

// The form byte of such a table: Form::Table, and the bit of payloads in another format.
constexpr uint8_t kArrowTableForm = 0x26;

// Appends a table as a stream, behind its two flag bytes. Returns false, with `bytes` as they were, for what is no
// table with rows here and for a table with a column that Arrow has no counterpart of: the native format has.
bool encodeArrowTable(const Value& value, GatheredBytes& bytes);

// Decodes a stream whose flag bytes were read, up to its end mark. Throws UserError for what is damaged, or beyond the
// budget.
Value decodeArrowTable(ByteSource& source, DecodeBudget& budget);

}  // namespace pelorus
