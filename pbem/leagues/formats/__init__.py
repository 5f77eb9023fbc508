"""Programs that pair players, one module per format. All chance is joint dice (`pbem.leagues.joint_lots`)."""
