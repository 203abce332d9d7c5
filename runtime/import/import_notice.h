// What an import tells the person who made it: what it changed, guessed or could not read.
#pragma once

#include <string>
#include <vector>

#include "runtime/text/delimited_text.h"

namespace pelorus::text {

struct ImportSummary {
    std::string path;
    TextOptions options;
    bool isDetected = false;  // names and types, rather than given
    TextHead head;            // when they are
    TextSchema schema;
    std::vector<OddColumn> odd;  // columns that nearly read as another type
    TextReport report;
};

// One message of a few lines, whatever the size of the file: columns beyond the fifth are only counted. Empty when all
// is well.
std::string importNotice(const ImportSummary& summary);

// The part of it that tells of fields that are not in the table as they are in the file.
std::string importLosses(const ImportSummary& summary);

}  // namespace pelorus::text
