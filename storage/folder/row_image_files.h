// Files of images of the pages of row tables, which let the log of their changes end.
//
// A checkpoint writes the pages that have changed since the last images, as one snapshot of all row tables: each row as
// of one number. Changes up to it are passed over when the log is replayed. Images are never written in place; a file
// whose images are mostly superseded is given up by writing the others again.
#pragma once

#include <cstdint>
#include <memory>

#include "storage/rows/row_images.h"

namespace pelorus {

struct StorageParts;

// Returns the bytes of the log files from `firstFile` on, before `logFile`; 0 where `firstFile` is.
int64_t logBytesOfRows(const StorageParts& parts, uint64_t firstFile, uint64_t logFile);
// Returns whether new images are worth their writing where so many bytes of the log are kept for rows alone: four times
// those of the pages that have changed, or more than the options allow, and than a quarter of the rows in memory.
bool areRowImagesDue(const StorageParts& parts, int64_t logBytes);
// Writes images of all row tables at the newest visible number, durably, and makes the log durable up to it. Changes
// behind it are in the log from `logFile` on, which has been begun. Throws SystemError when the disk refuses, or when
// the snapshot was given up: the images before stay.
std::shared_ptr<const RowImages> writeRowImages(StorageParts& parts, uint64_t logFile);
// Does so while the log begins the file, and no commit is under way: for a checkpoint that has all that is in the
// images, so that the log need not.
std::shared_ptr<const RowImages> writeRowImagesAtBorder(StorageParts& parts, uint64_t logFile);
// Brings the row tables, which have no rows yet, to the state of the images. Throws DamagedData when a file is missing
// or damaged.
void loadRowImages(StorageParts& parts, std::shared_ptr<const RowImages> images);
// Removes the files that have none of the images; `images` is null where there are none.
void removeOtherRowImages(const StorageParts& parts, const RowImages* images);

}  // namespace pelorus
