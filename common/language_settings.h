// LanguageSettings holds the settings that change what scripts mean, where releases of the language differ. A process
// has one object, filled before the first script runs and constant from then on.
#pragma once

namespace pelorus {

struct LanguageSettings {
    bool parseDecimalAsFloatingNumber = true;  // 1.5 is a DOUBLE; false: a DECIMAL64
    bool appendTupleAsAWhole = true;           // append! adds a tuple as one element of a tuple
    bool processVectorFunctionOverTupleByRow =
        true;                                     // cumsum((a, b)) runs along rows; false: over each element separately
    bool enableShellFunction = false;             // shell() runs commands of the operating system
    bool enableSharedVarCreationControl = false;  // share needs the right CREATE_SHARED_VAR
    bool enableInsertStatementForDFSTable = false;  // insert into works on tables of a database
};

LanguageSettings& languageSettings();

}  // namespace pelorus
