"""All programs that are recorded, by name."""
import export_programs
import images_programs
import layers_programs
import parts_programs
import text_programs
import training_programs

PROGRAMS = {name: program for module in (export_programs, images_programs, layers_programs, parts_programs,
                                           text_programs, training_programs)
            for name, program in module.PROGRAMS.items()}
