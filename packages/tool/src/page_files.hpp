#pragma once

#pragma GCC visibility push(hidden)

namespace tridap::drawing {

// The files in packages/tool/page/, which CMake puts into a source file.
extern const char* const page_template;   ///< with {{title}}, {{style}}, {{data}} and {{script}}
extern const char* const page_style;      ///< CSS
extern const char* const page_scripts[];  ///< JavaScript, in this order; the last one is null

}  // namespace tridap::drawing

#pragma GCC visibility pop
