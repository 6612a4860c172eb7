; Meep: a pulse in a bent waveguide.
(set! geometry-lattice (make lattice (size 16 16 no-size)))
(set! geometry (list
  (make block (center -2 -3.5) (size 12 1 infinity) (material (make dielectric (epsilon 12))))
  (make block (center 3.5 2) (size 1 12 infinity) (material (make dielectric (epsilon 12))))))
(set! sources (list
  (make source (src (make gaussian-src (frequency 0.15) (fwidth 0.1)))
               (component Ez) (center -7 -3.5) (size 0 1))))
(set! pml-layers (list (make pml (thickness 1.0))))
(set! resolution 12)
(define (energy) (electric-energy-in-box (volume (center 0 0) (size 4 4))))
(run-until 60 (at-every 2 (lambda () (print "energy " (energy) "\n"))))
