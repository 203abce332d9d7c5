// Arguments that loadText, loadTextEx and related functions share.
#pragma once

#include <string>

#include "runtime/text/delimited_text.h"
#include "runtime/value/value.h"

namespace pelorus::text {

// Returns the options that the arguments set; VOID leaves a default. Throws UserError naming the argument's number.
TextOptions optionsFrom(const Value& delimiter, int delimiterArgument, const Value& skipRows, int skipArgument,
                        const Value& containHeader);
// Sets how fields hold the elements of array vectors. VOID leaves a default.
void takeArrayOptions(TextOptions& options, const Value& arrayDelimiter, int delimiterArgument,
                      const Value& arrayMarker, int markerArgument);
char delimiterFrom(const Value& delimiter, int argument);
std::string fileFrom(const Value& file, int argument);

// Reads a script's `schema` table: name, type and optionally format and col. Fields without a name in it, when `col` is
// missing, take the first names of `head`.
TextSchema schemaFrom(const Value& schema, int argument, const TextHead& head);

}  // namespace pelorus::text
