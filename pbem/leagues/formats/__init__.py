"""Programs that pair players, one module per format. All chance comes from `pbem.leagues.joint_lots`."""
