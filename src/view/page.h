// The viewer as one HTML page without links: the bundle of viewer/ (built into the program) and the
// data it shows. Whatever the data say, a browser sees text, never markup or script.
#pragma once

#include <string>
#include <string_view>

namespace grapple::view {

/// What a browser may reach from the page: nothing, or the server it came from.
enum class PageReach { kNothing, kOwnServer };

/// `data`: JSON. Throws GR-800 if the program was built without the bundle.
std::string page(std::string_view title, std::string_view data, PageReach reach);

/// Text as the content of an HTML element or attribute.
std::string html_text(std::string_view text);

/// JSON as the content of a script element: no "<" and ">", so nothing in it ends or opens one.
std::string script_json(std::string_view json);

}  // namespace grapple::view
