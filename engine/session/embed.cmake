# schema.sql becomes a C++ string.
file(READ ${IN} text)
file(WRITE ${OUT} "#include \"engine/session/database.h\"\n\n"
  "namespace footlight::session {\nconst char* const kSchema = R\"sql(${text})sql\";\n}  // namespace footlight::session\n")
