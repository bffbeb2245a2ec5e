// fmt, compiled once from its headers: for builds that cannot link to a library of it. Each file that uses fmt as
// headers alone takes a compiler five seconds longer. For versions 9 to 12 (PlumblineFmt.cmake).
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE

#if FMT_VERSION >= 120000
template FMT_API locale_ref::locale_ref(const std::locale&);
template FMT_API auto locale_ref::get<std::locale>() const -> std::locale;
#endif

namespace detail {

#if FMT_VERSION < 120000
template FMT_API locale_ref::locale_ref(const std::locale&);
template FMT_API auto locale_ref::get<std::locale>() const -> std::locale;
#endif
#if FMT_VERSION < 110000
template FMT_API void vformat_to(buffer<char>&, string_view, basic_format_args<buffer_context<char>>, locale_ref);
#endif
template FMT_API auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template FMT_API auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;
template FMT_API auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;
template FMT_API void buffer<char>::append(const char*, const char*);

}  // namespace detail

FMT_END_NAMESPACE
