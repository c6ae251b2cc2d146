"""En.Dia: a play in which one speaker is masked, among scenes of other plays."""
