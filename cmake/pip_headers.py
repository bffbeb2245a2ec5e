"""Prints the folders in which the build requirements of pyproject.toml have left headers, separated as CMake does."""

from importlib.metadata import PackageNotFoundError, distribution

found = []
for package, folder in (("cmeel-eigen", "cmeel.prefix"), ("nlohmann-json", "nlohmann_json")):
    try:
        found.append(str(distribution(package).locate_file(folder)))
    except PackageNotFoundError:
        continue
print(";".join(found), end="")
