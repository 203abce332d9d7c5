#include "common/language_settings.h"

namespace pelorus {

LanguageSettings& languageSettings() {
    static LanguageSettings settings;
    return settings;
}

}  // namespace pelorus
