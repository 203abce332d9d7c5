// Notices of an import to the person who made it: values that it changed, types that it guessed, fields that it could
// not read.
#pragma once

#include <string>
#include <vector>

#include "runtime/text/delimited_text.h"

namespace pelorus::text {

struct ImportSummary {
    std::string path;
    TextOptions options;
    bool isDetected = false;  // names and types were detected, not given
    TextHead head;            // set when they were detected
    TextSchema schema;
    std::vector<OddColumn> odd;  // columns that nearly read as another type
    TextReport report;
};

// Returns one message of a few lines, whatever the size of the file: columns beyond the fifth are only counted. Empty
// when all is well.
std::string importNotice(const ImportSummary& summary);

// Returns the part of the notice about fields whose values in the table differ from those in the file.
std::string importLosses(const ImportSummary& summary);

}  // namespace pelorus::text
